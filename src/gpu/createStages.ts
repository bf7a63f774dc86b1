import { hubPlaces } from '../../shaders/hubs';
import { longestRange } from '../cpu/bonds';
import { asksForBalance, coarseExtent, loadAxis, swellingPerDiameter } from '../cpu/coarseSchedule';
import { largestRadius } from '../cpu/sizeLevels';
import { featureImages } from '../cpu/walls';
import type { System } from '../scene/system';
import { loneWorkgroupSize } from './adapter';
import { lawOptions } from './lawOptions';
import { haveMeshesPoses } from './packMeshes';
import { turningWalls } from './packWalls';
import { coarseUse, hubOptions, isSplit, looksAtChanges, type Sizes } from './sizes';
import { BalanceStage } from './stages/balance';
import { CandidatesStage } from './stages/candidates';
import { CoarseStage } from './stages/coarse';
import { CoarseListsStage } from './stages/coarseLists';
import { ColouringStage } from './stages/colouring';
import { ContactsStage } from './stages/contacts';
import { ConvergenceStage } from './stages/convergence';
import { GridStage } from './stages/grid';
import { HubsStage } from './stages/hubs';
import { IntegrateStage } from './stages/integrate';
import { MeasureStage } from './stages/measure';
import { MemoriesStage } from './stages/memories';
import { MeshesStage } from './stages/meshes';
import { PistonsStage } from './stages/pistons';
import { PredictStage } from './stages/predict';
import { SolveStage } from './stages/solve';

/** The stages of a step; those that a scene does not need are absent. */
export interface Stages {
  predict: PredictStage;
  grid: GridStage;
  candidates: CandidatesStage;
  colouring: ColouringStage;
  contacts: ContactsStage;
  memories?: MemoriesStage;
  solve: SolveStage;
  convergence: ConvergenceStage;
  coarseLists: CoarseListsStage;
  balance: BalanceStage;
  coarse?: CoarseStage;
  measure: MeasureStage;
  integrate: IntegrateStage;
  hubs?: HubsStage;
  pistons?: PistonsStage;
  meshes?: MeshesStage;
}

/**
 * Compiles the kernels that a scene needs.
 * @param loads whether grains have forces or torques of their own
 */
export async function createStages(device: GPUDevice, system: System, sizes: Sizes, loads: boolean): Promise<Stages> {
  const { periods, solver } = system;
  const { colourWords } = sizes;
  const levels = sizes.levels.length;
  const walls = { moving: system.motions.some((motion) => motion), turning: turningWalls(system).length > 0 };
  const law = lawOptions(system);
  const features = featureImages(system);
  const hubs = hubOptions(system);
  const changes = looksAtChanges(system);
  const { proposes, applies } = coarseUse(system);
  const tailSize = loneWorkgroupSize(device);
  const momentum = solver.momentum > 0;
  const page = isSplit(sizes) ? sizes.page : undefined;
  const split = page !== undefined;
  const solve = {
    // A step of the coarse level changes the impulses of the sweep before too.
    ...{ ...law, colourWords, hubs, changes: changes || applies, tailSize },
    ...{ momentum, randomOrder: solver.order === 'random', split, swells: swellingPerDiameter(system) > 0 },
  };
  const [
    predict,
    grid,
    candidates,
    colouring,
    contacts,
    solveStage,
    convergence,
    coarseLists,
    balance,
    measure,
    integrate,
    hubsStage,
    pistons,
    meshes,
    memories,
    coarse,
  ] = await Promise.all([
    PredictStage.create(device, { loads }),
    GridStage.create(device, {
      periods,
      levels,
      largestRadius: largestRadius(system),
      range: longestRange(system),
      moving: walls.moving,
    }),
    CandidatesStage.create(device, { periods, levels, ...walls }),
    ColouringStage.create(device, { colourWords, hubs, features }),
    ContactsStage.create(device, { periods, ...walls, ...law }, page),
    SolveStage.create(device, solve, page),
    ConvergenceStage.create(
      device,
      { ...law, changes, proposes, momentum, balanced: asksForBalance(solver.convergence), split },
      page,
    ),
    CoarseListsStage.create(device, {
      ...{ periods, colourWords, hubs, sides: proposes, split },
      leastExtent: coarseExtent(system),
      loadAxis: loadAxis(system),
    }),
    BalanceStage.create(device, { sides: proposes }),
    MeasureStage.create(
      device,
      { periods, ...walls, ...law, meshes: system.meshes.length > 0, pistons: hubs.pistons, split },
      page,
    ),
    IntegrateStage.create(device, { periods }),
    hubPlaces(hubs) > 0 ? HubsStage.create(device, { ...hubs, colourWords }) : undefined,
    hubs.pistons > 0 ? PistonsStage.create(device, { periods, pistons: hubs.pistons }) : undefined,
    system.meshes.length > 0
      ? MeshesStage.create(device, { periods, meshes: system.meshes.length, moving: haveMeshesPoses(system) }, page)
      : undefined,
    law.memory ? MemoriesStage.create(device, { ...law, features }, page) : undefined,
    proposes
      ? CoarseStage.create(
          device,
          {
            ...{ ...law, periods, momentum, applies, split, giants: hubs.hubGrains },
            pressed: hubs.pistons > 0,
            solverSize: tailSize,
          },
          page,
        )
      : undefined,
  ]);
  const wanted = {
    ...(hubsStage ? { hubs: hubsStage } : {}),
    ...(pistons ? { pistons } : {}),
    ...(meshes ? { meshes } : {}),
    ...(memories ? { memories } : {}),
    ...(coarse ? { coarse } : {}),
  };
  const sweeping = { contacts, solve: solveStage, convergence, coarseLists, balance };
  return { ...wanted, ...sweeping, predict, grid, candidates, colouring, measure, integrate };
}

export function disposeStages({ grid, candidates, colouring, coarseLists, solve, hubs }: Stages): void {
  for (const stage of [grid, candidates, colouring, coarseLists, solve, hubs]) stage?.dispose();
}
