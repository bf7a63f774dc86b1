import { totalmem } from 'node:os';
import { createNodeSimulation } from '../src/node';
import type { Host } from './suite/host';
import { cpuMilliseconds } from './timing';

export const nodeHost: Host = { createSimulation: createNodeSimulation, cpuMilliseconds, memoryBytes: totalmem() };
