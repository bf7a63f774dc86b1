import { vi } from 'vitest';

/** `npm run fuzz` tries ten times as many cases, and others each time. */
const thorough = process.env.MODE === 'fuzz';
/** A property with so many cases takes minutes. */
if (thorough) vi.setConfig({ testTimeout: 3_600_000 });

export const settings = (cases: number) => (thorough ? { numRuns: 10 * cases } : { numRuns: cases, seed: 1 });
