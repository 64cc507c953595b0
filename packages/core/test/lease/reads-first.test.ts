// A member over a store that reads first and makes its changes then; and what the pin keeps.
import { afterEach, describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { type LeaseTraits, leaseBackend, leaseBackendUnder } from '../../src/lease/backend.ts';
import { leaseRules } from '../../src/lease/rules.ts';
import { RowStore } from '../../src/rows/row-store.ts';
import { openSource } from '../../src/source/open-source.ts';
import { listedRows } from '../support/listed-rows.ts';
import { manualClock } from '../support/manual-clock.ts';
import { Group } from './group.ts';

const thresholdMs = 1000;
const clock = manualClock();
const opened: LeadershipSource[] = [];
let store = new RowStore();
let requests = 0;
/** What happens instead of the reply to a change that was made. */
let fault: string | undefined;

afterEach(async () => {
  fault = undefined;
  const closed = Promise.all(opened.splice(0).map((source) => source.close()));
  await clock.pass(3 * thresholdMs);
  await closed;
  store = new RowStore();
});

function open(member: string, traits: LeaseTraits = {}): LeadershipSource {
  const options = resolveOptions({ group: 'g', member, partitions: 1, thresholdMs, driftRate: 0 });
  const rows = listedRows(store, {
    async list() {
      requests += 1;
      return { rows: new Map(store.rows) };
    },
    async replace(changes) {
      const made = changes.map((change) => store.change(change));
      if (fault !== undefined) throw new Error(fault);
      return made;
    },
  });
  const rules = { ...leaseRules, emptyMs: () => 0 };
  const backend = leaseBackendUnder(rules, options, () => rows, traits);
  const source = openSource(backend, options, { clock, random: () => 0.5 });
  source.ready().catch(() => undefined);
  opened.push(source);
  return source;
}

describe('a member over a store that reads first', () => {
  it('keeps its term while its changes are made and not answered: it reads what became of them (M2)', async () => {
    const source = open('a');
    await clock.pass(thresholdMs);
    const token = source.role(0).term()?.token;
    expect(token).toBeGreaterThan(0n);
    fault = 'no reply';
    await clock.pass(10 * thresholdMs);
    expect(source.role(0).term()?.token).toBe(token);
    expect(source.role(0).isLeading()).toBe(true);
  });
});

/** Returns how many exchanges each member has sent after a claim, a resignation and a fail-over. */
function exchangesOver(readsFirst: boolean): readonly number[] {
  const group = new Group({ traits: { changesMax: 64, readsFirst } });
  for (const member of ['a', 'b', 'c']) {
    group.start(member);
    group.pass(3 * thresholdMs);
  }
  group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
  group.pass(3 * thresholdMs);
  expect(group.state('b').led.size).toBe(1);
  const sent = group.state('b').exchanges;
  group.kill('b');
  group.pass(3 * thresholdMs);
  return [group.state('a').exchanges, sent, group.state('c').exchanges];
}

describe('a member over a store that shows the changes of an exchange in its answer', () => {
  it('sends as few exchanges over claims, releases and depositions as one whose changes are all made in one request', () => {
    expect(exchangesOver(true)).toEqual(exchangesOver(false));
  });
});

describe('a member whose options differ from the pin (R3)', () => {
  it('is refused with the option, and asks no more', async () => {
    open('a', { pinned: { homeRegion: 'here' } });
    await clock.pass(thresholdMs);
    const other = open('b', { pinned: { homeRegion: 'there' } });
    const refused = expect(other.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message:
        'group "g" runs with homeRegion "here", but this member is configured with "there"; use the same homeRegion for all members',
    });
    await clock.pass(thresholdMs);
    await refused;
  });

  it('takes part where it does not name the option', async () => {
    open('a', { pinned: { homeRegion: 'here' } });
    await clock.pass(thresholdMs);
    const other = open('b');
    await clock.pass(thresholdMs);
    await other.ready();
  });

  it('is refused where the group has another guarantee', async () => {
    const pinned = { guarantee: 'continuous' };
    store.put('pin', JSON.stringify({ metadata: { partitions: '1' }, pinned }));
    const other = open('b');
    await clock.pass(thresholdMs);
    await expect(other.ready()).rejects.toThrow(
      'runs with guarantee "continuous", but this member is configured with "exclusive"',
    );
  });
});

describe('a member that the store refuses before it takes part', () => {
  it('asks no more', async () => {
    const options = resolveOptions({ group: 'g', member: 'a', partitions: 1, thresholdMs });
    const denied = listedRows(store, {
      async list() {
        requests += 1;
        throw new LeadershipError('unauthorized', 'denied');
      },
    });
    const source = openSource(
      leaseBackend(options, () => denied),
      options,
      { clock },
    );
    source.ready().catch(() => undefined);
    opened.push(source);
    await clock.pass(thresholdMs);
    const before = requests;
    await clock.pass(10 * thresholdMs);
    expect(requests).toBe(before);
  });
});
