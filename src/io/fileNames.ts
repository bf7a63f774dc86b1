/** Formats of grains that can be read, by the endings of their names (`.gz` apart). */
export type ParticleFormat = 'dump' | 'csv' | 'xyz' | 'vtp' | 'pvd';
const ENDINGS: Record<ParticleFormat, RegExp> = {
  dump: /\.(particles|dump|lammpstrj)$/i,
  csv: /\.csv$/i,
  xyz: /\.(xyz|extxyz)$/i,
  vtp: /\.vtp$/i,
  pvd: /\.pvd$/i,
};

/** What messages say of the names that can be read. */
export const READABLE = '.dump, .particles, .lammpstrj, .csv, .xyz, .extxyz, .vtp, .pvd (each also with .gz) or .h5';

/** What messages say of the names that can be written. */
export const WRITABLE = '.dump, .particles, .lammpstrj, .csv, .xyz or .extxyz (each also with .gz), .vtp or .pvd';

/** Checkpoints are not read here: that takes HDF5. */
export const CHECKPOINT_NAME = /\.h5$/i;

/** The format that a name stands for; undefined for one that is not known. */
export function particleFormat(file: string): ParticleFormat | undefined {
  const plain = file.replace(/\.gz$/i, '');
  return (Object.keys(ENDINGS) as ParticleFormat[]).find((format) => ENDINGS[format].test(plain));
}
