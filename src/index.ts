export type { Fault } from './errors';
