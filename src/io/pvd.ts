export interface PvdEntry {
  time: number;
  /** Relative to the collection's own file, with forward slashes. */
  file: string;
}

/** A ParaView collection (.pvd): the frames of a run with their times. */
export function encodePvd(entries: readonly PvdEntry[]): string {
  const sets = entries.map(({ time, file }) => `    <DataSet timestep="${time}" group="" part="0" file="${file}"/>\n`);
  return (
    '<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n  <Collection>\n' +
    `${sets.join('')}  </Collection>\n</VTKFile>\n`
  );
}
