import { CandidateList } from '../../src/cpu/candidateList';
import { CandidateFinder } from '../../src/cpu/candidates';
import { buildGrid, layOutGrid } from '../../src/cpu/grid';
import { measurePenetration, type Penetration } from '../../src/cpu/measure';
import { chooseSizeLevels } from '../../src/cpu/sizeLevels';
import { wallSteps } from '../../src/cpu/walls';
import type { Problem } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { TOUCHING_GAP } from '../../src/settings';
import { extentOf } from '../../src/snapshot';

/** Overlaps of any code's grains by one and the same measure: that of the step reports, in mean diameters. */
export class OverlapMeter {
  private readonly system: System;
  private readonly list: CandidateList;
  private readonly finder: CandidateFinder;

  constructor(problem: Problem) {
    this.system = toSystem(problem);
    this.list = new CandidateList(this.system.grains);
    this.finder = new CandidateFinder(this.system);
  }

  /** @param positions N x 3, in units of the scene */
  measure(positions: Float64Array): Penetration {
    const { system, list } = this;
    const { length, origin } = system.units;
    const inside = positions.map((x, k) => (x - origin[k % 3]) / length);
    const sizeLevels = chooseSizeLevels(system);
    const grid = buildGrid(inside, layOutGrid(sizeLevels, extentOf(inside), TOUCHING_GAP), sizeLevels.levelOf);
    this.finder.find(grid, new Float64Array(system.grains).fill(TOUCHING_GAP), list, 0);
    return measurePenetration(system, wallSteps(system, 0), inside, list);
  }
}
