export { createWorkerSimulation, type WorkerOptions } from './page/workerSimulation';
export * from './viewer/index';
export { createPlayer, type Player, type PlayerChange, type PlayerOptions } from './viewer/player';
export { type Show, type ShowOptions, showScene } from './viewer/showScene';
