/** Everything for pages in one file, which defines the element too. */
export { createCpuSimulation } from './cpu';
export * from './element';
export * from './index';
export * from './viewer';
