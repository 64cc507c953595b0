import { describe, expect, test } from 'vitest';
import { driftRules, type NerioRules } from '../../src/protocol.ts';
import { relied } from '../support/third-party.ts';

/** The long test has ten times as many. A faulty rule shows in these. */
const histories = 20_000;

describe(`in ${histories} random histories, a third party (N12)`, () => {
  test('relies on no member that does not lead, and on many that do', () => {
    const { onOthers, onLeaders } = relied(driftRules, histories);
    expect(onOthers).toBe(0);
    expect(onLeaders).toBeGreaterThan(histories / 20);
  });

  test('relies on many that do not lead, by the check as printed in the paper', () => {
    const relies: NerioRules['relies'] = (startedAt, remainderMs, now, self) =>
      startedAt + remainderMs * (self.driftRate - 1) < now;
    expect(relied({ ...driftRules, relies }, histories).onOthers).toBeGreaterThan(histories / 10);
  });

  test('relies on some that have resigned, if a leader forgets its promises', () => {
    expect(relied({ ...driftRules, mayRelease: () => true }, histories).onOthers).toBeGreaterThan(
      0,
    );
  });
});
