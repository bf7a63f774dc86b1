import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import {
  BALANCE_OF_CHANGE,
  COARSE_GAP_GROWTH,
  FAR,
  FIRST_COARSE_SWEEP,
  LEAST_COARSE_CHANGE,
  SMALL_COARSE_CHANGE,
  WORSE_AFTER_COARSE,
} from '../src/settings';
import { momentaAtHand } from './balance';
import type { CoarseOptions } from './coarse';
import { CRITERIA } from './control';

/** What comes of a proposal, as src/cpu/coarseSchedule.ts has it; for the module of the coarse level. */
export const coarseJudge = ({ momentum, pressed }: Pick<CoarseOptions, 'momentum' | 'pressed'>) => wgsl`
${momentaAtHand}
/** Whether a step is as far from balance as it was, at a turn. */
fn staysFar(change: f32) -> bool {
  let sweeps = f32(control.iteration - control.coarse.swollen);
  let before = control.coarse.lastChange;
  let grows = change > ${FAR.growth}f * before || (change < ${FAR.little}f && change > ${FAR.stall}f * before);
  let farthest = ${FAR.patience}f + ${FAR.sweepsPerDiameter}f * control.coarse.extent;
  return sweeps < ${FAR.patience}f || !(grows || sweeps > farthest);
}

/** Whether the sweeps may stop, and if not, whether what was proposed is done: not where it would change much, and more than at the turn before. */
@compute @workgroup_size(TEAM_SIZE)
fn judge(@builtin(local_invocation_index) local: u32) {
  if (nothingAsked(local)) { return; }
  var mine = vec4f(0.0);
  for (var team = local; team < params.teams; team += TEAM_SIZE) {
    mine += vec4f(control.coarse.shares[2u * team], control.coarse.shares[2u * team + 1u], 0.0, 0.0);
  }
  let first = control.coarse.nextTurn == ${FIRST_COARSE_SWEEP}f;
  // Whether grains move is asked at the first turn alone.
  if (first) {
    for (var cell = local; cell < control.coarse.cells; cell += TEAM_SIZE) { mine.z += length(momentum(FREE, cell)); }
  }
  let sums = teamReduce(mine, local);
  if (local != 0u) { return; }
  let change = select(0.0, sums.x / sums.y, sums.y > 0.0);
  let far = control.coarse.far != 0u;
  let balance = max(select(${BALANCE_OF_CHANGE}f, ${FAR.balanceOfChange}f, far) * change, control.coarse.remainder);
  let converged = control.coarse.settled != 0u && balance <= params.balance;
  control.balance = balance;
  control.converged = select(0u, 1u, converged);
  control.stopped = select(0u, 1u, converged || control.iteration >= params.maxIterations);
  control.coarse.wanted = 0u;
  if (control.stopped != 0u || control.coarse.corrects == 0u) { return; }
  control.coarse.nextTurn = f32(control.iteration) + control.coarse.gap;
  var helps = change < control.coarse.lastChange || change < ${SMALL_COARSE_CHANGE}f;
  let moves = sums.z > ${FAR.moving}f * params.load;
  var goesFar = ${!pressed} && !moves && first && change > ${FAR.beginning}f && control.coarse.tall != 0u;
  if (far) {
    goesFar = staysFar(change);
    helps = goesFar;
  }
  control.coarse.far = select(0u, 1u, goesFar);
  #if ${momentum}
  if (far != goesFar && params.criterion == ${CRITERIA.indexOf('residual')}u) {
    control.momentum = select(min(control.momentum, params.momentum), 0.5 * (1.0 + control.momentum), goesFar);
  }
  #endif
  control.coarse.lastChange = select(change, 1e30, far && !goesFar);
  helps = helps && change > min(${LEAST_COARSE_CHANGE}f, params.balance / ${BALANCE_OF_CHANGE}f);
  if (!far && !goesFar) {
    control.coarse.gap *= ${COARSE_GAP_GROWTH}f;
    if (helps && !first) { control.coarse.bearable = ${WORSE_AFTER_COARSE}f * max(control.residual, params.tolerance); }
  }
  control.coarse.applies = select(0u, 1u, helps);
}
`;
