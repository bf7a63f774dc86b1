/** A number as it is shown: three digits, thousands in groups. */
export function formatNumber(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-3) {
    const [digits, power] = value.toExponential(1).split('e');
    return `${digits} × 10${[...String(Number(power))].map((digit) => SUPERSCRIPT[digit]).join('')}`;
  }
  return Number.isInteger(value) || size >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

const SUPERSCRIPT: Record<string, string> = Object.fromEntries(
  [...'0123456789-'].map((digit, k) => [digit, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁻'][k]]),
);
