// What the judge makes of a log that the leader reads again (L11): belief must not rest on a record that is gone.
import { type LedgerRules, ledgerRules } from '@leadership/core/engine';
import { expect, test } from 'vitest';
import { hostRules } from '../../src/simulation/host-rules.ts';
import { believes } from '../../src/simulation/judge.ts';
import { append, request, restart } from '../../src/simulation/log-store.ts';
import { there } from '../../src/simulation/random.ts';
import { newWorld, runUntil } from '../../src/simulation/run.ts';
import { scenarioNamed } from '../../src/simulation/scenarios.ts';
import { cutLog } from '../../src/simulation/store-faults.ts';

const lane = 1;

/** A world in which a member has just begun to lead, by the last record of the log. */
function led(departure: Partial<LedgerRules> = {}) {
  const ledger = (): LedgerRules => ({ ...ledgerRules, ...departure });
  const world = newWorld({ ...scenarioNamed('calm'), partitions: 1, perMinute: {} }, { ledger, host: hostRules }, 1);
  const find = () => world.nodes.find((node) => node.alive && believes(world, node, there(node.beliefs[0])));
  while (find() === undefined) runUntil(world, world.now + 1);
  const [leader, log] = [there(find()), there(world.store.logs[lane])];
  const { record } = there(log.entries.at(-1));
  return {
    ...{ world, log, record },
    /** The leader's position is lost. */
    restart: () => restart(world, leader, log, there(leader.readers[lane])),
    /** The leader asks for what the log holds now. */
    request: () => request(world, leader, lane, there(leader.readers[lane])),
    /** The record is followed by another, and by a copy as old as itself: without one it may just have been cut off (L10). */
    follow() {
      append(world, lane, { record: { ...record, id: 'later', after: record.id, height: record.height + 1 }, answerMs: -1 });
      append(world, lane, { record: { ...record, id: 'copy' }, answerMs: -1 });
    },
    broken() {
      runUntil(world, world.now + 50);
      return [...world.judge.broken.keys()];
    },
  };
}

test('belief may rest on a record that was read again, though the log is cut behind it before the end is reached', () => {
  const { world, log, record, restart, request, follow, broken } = led();
  restart();
  request();
  follow();
  while (log.entries.some((entry) => entry.record === record)) cutLog(world);
  expect(broken()).toEqual([]);
});

test('belief may not rest on a record that was lost: a leader that goes on is noticed', () => {
  const { log, restart, request, follow, broken } = led({ bearsOut: () => true });
  log.entries = [];
  log.epoch += 1;
  restart();
  follow();
  request();
  expect(broken()).toEqual(['L11']);
});
