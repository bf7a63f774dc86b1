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

/** Two columns, the first as wide as its widest entry. */
export function table(rows: readonly (readonly [string, string])[], indent = ''): string {
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `${indent}${label.padEnd(width)}  ${value}\n`).join('');
}
