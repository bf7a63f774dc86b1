/** Volume of a sphere, or area of a disk. */
export function grainVolume(radius: number, dimension: 2 | 3): number {
  return dimension === 2 ? Math.PI * radius ** 2 : (4 / 3) * Math.PI * radius ** 3;
}
