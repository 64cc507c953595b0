import { blockLoop } from '../../faults/block-loop.ts';
import { insist } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';

/** H5: leadership state after a blocked event loop. */
export const truthAfterBlockedLoop: Check = defineCheck({
  promise: 'truth-after-a-blocked-loop',
  claim: 'After the event loop was blocked past the deadline, every method returns the correct state before any timer runs (H5)',
  alone: true,
  async run(trial) {
    const source = trial.open('a');
    const { role } = await trial.leader([source]);
    const term = role.term();
    insist(term !== undefined, 'the leader has no term');
    blockLoop(1.1 * trial.thresholdMs);
    const isLeading = role.isLeading();
    insist(!isLeading, 'isLeading() said true after its deadline had passed');
    insist(!term.isCurrent(), 'isCurrent() said true after its deadline had passed');
    insist(role.remainingMs() === 0 && term.remainingMs() === 0, 'remainingMs() was not 0 after the deadline had passed');
    insist(role.term() === undefined, 'term() answered a term whose deadline had passed');
    insist(source.held().size === 0, 'held() answered a term whose deadline had passed');
    insist(role.leader()?.self !== true, 'leader() answered this member after its deadline had passed');
    insist(role.ifLeading(() => undefined) === undefined, 'ifLeading() ran work after the deadline had passed');
    insist(term.fenced.aborted, 'the term was over, and its signal had not aborted');
    const next = await trial.until('a leads once more', () => role.term());
    insist(next.token > term.token, 'a term that had ended was taken up again (T3)');
  },
});
