import type { Problem } from '../../src/index';

const MARGIN = 16;

/** Draws the grains as seen along +y, far ones first and darker; the walls of the scene's box as lines. */
export function drawPacking(canvas: HTMLCanvasElement, problem: Problem, positions: Float64Array): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { count, radii } = problem.grains;
  const { low, high } = bounds(positions, radii);
  const scale = (canvas.width - 2 * MARGIN) / Math.max(high[0] - low[0], high[2] - low[2]);
  const left = (canvas.width - scale * (high[0] - low[0])) / 2;
  const order = Array.from({ length: count }, (_, i) => i).sort((i, j) => positions[3 * j + 1] - positions[3 * i + 1]);
  context.clearRect(0, 0, canvas.width, canvas.height);
  for (const i of order) {
    const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
    const nearness = 1 - (y - low[1]) / (high[1] - low[1]);
    context.beginPath();
    context.arc(left + scale * (x - low[0]), canvas.height - MARGIN - scale * (z - low[2]), scale * radii[i], 0, 2 * Math.PI);
    context.fillStyle = `hsl(${30 + 10 * nearness} ${35 + 25 * nearness}% ${18 + 47 * nearness}%)`;
    context.fill();
  }
}

/** Corners of the smallest box about all grains. */
function bounds(positions: Float64Array, radii: Float64Array): { low: number[]; high: number[] } {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  positions.forEach((value, k) => {
    const radius = radii[Math.floor(k / 3)];
    low[k % 3] = Math.min(low[k % 3], value - radius);
    high[k % 3] = Math.max(high[k % 3], value + radius);
  });
  return { low, high };
}
