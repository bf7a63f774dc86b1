/** A number as people read it: up to `digits` significant digits, no trailing zeros. */
export function figure(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return String(value);
  return size >= 1e6 || size < 1e-3
    ? Number(value.toPrecision(digits)).toExponential()
    : String(Number(value.toPrecision(digits)));
}

export function vectorFigure(values: readonly number[]): string {
  return `(${values.map((value) => figure(value)).join(', ')})`;
}

export function bytesFigure(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes >= 1 ? Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10)) : 0;
  return `${figure(bytes / 1024 ** power, 3)} ${units[power]}`;
}

export function secondsFigure(seconds: number): string {
  if (seconds < 60) return `${figure(seconds, 3)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}

/**
 * A line of what scenes and files hold as a terminal may show it: characters that steer it, break the line or turn its order round stand
 * there by their numbers.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Two columns, the first as wide as its widest entry. */
export function table(rows: readonly (readonly [string, string])[], indent = ''): string {
  const shown = rows.map((row) => row.map(printable));
  const width = Math.max(0, ...shown.map(([label]) => label.length));
  return shown.map(([label, value]) => `${indent}${label.padEnd(width)}  ${value}\n`).join('');
}
