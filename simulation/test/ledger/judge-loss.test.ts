// Tests how the judge checks a log that the leader reads again (L11): belief must not rest on a
// lost record.
import type { LedgerRules } from '@leadership/core/internal/ledger';
import { expect, test } from 'vitest';
import { named } from '../../src/kernel/protocol.ts';
import { defined } from '../../src/kernel/random.ts';
import { runUntil } from '../../src/kernel/timeline.ts';
import { logStore, request, restart } from '../../src/ledger/log-store.ts';
import { ledger } from '../../src/ledger/protocol.ts';
import { scenarios } from '../../src/ledger/scenarios.ts';
import { cutLog } from '../../src/ledger/store-faults.ts';

const slot = 1;

/** Returns a world in which a member has just begun to lead, by the last record of the log. */
function led(rules: Partial<LedgerRules> = {}) {
  const scenario = { ...named(scenarios, 'calm'), partitions: 1, perMinute: {} };
  const world = ledger.newWorld(scenario, 1, { rules });
  const find = () => world.nodes.find(({ hosted }) => hosted[0]?.leads());
  while (find() === undefined) runUntil(world, world.now + 1);
  const [leader, log] = [defined(find()), defined(world.store.logs[slot])];
  const { record } = defined(log.entries.at(-1));
  return {
    world,
    log,
    record,
    /** Restarts the leader's reader, which loses its position. */
    restart: () => restart(world, leader, log),
    /** Requests the current contents of the log for the leader. */
    request: () => request(world, leader, log),
    /**
     * Appends a successor of the record, and a copy of it. Without a copy, the record might just
     * have been pruned (L10).
     */
    follow() {
      const later = { ...record, id: 'later', after: record.id, height: record.height + 1 };
      logStore.write(world, slot, later);
      logStore.write(world, slot, { ...record, id: 'copy' });
    },
    broken() {
      runUntil(world, world.now + 50);
      return [...world.judge.broken.keys()];
    },
  };
}

test('accepts a belief whose record is read again and then pruned before the reader reaches the end', () => {
  const { world, log, record, restart, request, follow, broken } = led();
  restart();
  request();
  follow();
  while (log.entries.some((entry) => entry.record === record)) cutLog(world);
  expect(broken()).toEqual([]);
});

test('reports a leader that continues to believe by a lost record', () => {
  const { log, restart, request, follow, broken } = led({ confirms: () => true });
  log.entries = [];
  log.epoch += 1;
  restart();
  follow();
  request();
  expect(broken()).toEqual(['relation', 'L11']);
});
