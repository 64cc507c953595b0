// Conformance checks in which the event loop of a member is blocked.
import { blockLoop } from '../../faults/block-loop.ts';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';

/** H5: leadership state after a blocked event loop. */
export const stateAfterBlockedLoop: Check = defineCheck({
  id: 'state-after-a-blocked-loop',
  title:
    'After the event loop was blocked past the deadline, every method returns the correct state before any timer runs (H5)',
  alone: true,
  async run(context) {
    const source = context.open('a');
    const { role } = await context.leader([source]);
    const term = role.term();
    assert(term !== undefined, 'the leader has no term');
    blockLoop(1.1 * context.thresholdMs);
    const isLeading = role.isLeading();
    assert(!isLeading, 'isLeading() returned true after its deadline had passed');
    assert(!term.isCurrent(), 'isCurrent() returned true after its deadline had passed');
    assert(
      role.remainingMs() === 0 && term.remainingMs() === 0,
      'remainingMs() was not 0 after the deadline had passed',
    );
    assert(role.term() === undefined, 'term() answered a term whose deadline had passed');
    assert(source.held().size === 0, 'held() answered a term whose deadline had passed');
    assert(
      role.leader()?.self !== true,
      'leader() answered this member after its deadline had passed',
    );
    assert(
      role.ifLeading(() => undefined) === undefined,
      'ifLeading() ran work after the deadline had passed',
    );
    assert(term.fenced.aborted, 'the term was over, and its signal had not aborted');
    const next = await context.until('a leads once more', () => role.term());
    assert(next.token > term.token, 'a term that had ended was taken up again (T3)');
  },
});
