/** What a page says where the GPU's device was lost and the run goes on. @param backend on which it does */
export function lostNotice(backend: 'cpu' | 'webgpu'): string {
  return `The graphics device was lost. The run goes on where it stopped${backend === 'cpu' ? ', on the CPU' : ''}.`;
}
