// The shell between the machine and the store: its machine, its source and its timers are the real ones.
import { afterEach, describe, expect, it } from 'vitest';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import { noneText } from '../../src/lease/records.ts';
import { MemoryStore } from '../../src/memory/memory-rows.ts';
import type { Exchanged } from '../../src/rows/rows.ts';
import { turn } from '../support/manual-clock.ts';
import { type RowsMember, rowsMember, thresholdMs } from '../support/rows-member.ts';

const members: RowsMember[] = [];

afterEach(async () => {
  for (const { source, clock } of members.splice(0)) {
    const closed = source.close();
    await clock.pass(2 * thresholdMs);
    await closed;
    expect(clock.pending).toBe(0);
  }
});

function join(...member: Parameters<typeof rowsMember>): RowsMember {
  const joined = rowsMember(...member);
  members.push(joined);
  return joined;
}

/** Lets requests hang until they are answered. */
function hanging(rows: RowsMember['rows']): { readonly answers: (() => void)[]; pass(): void } {
  const { exchange } = rows;
  const answers: (() => void)[] = [];
  rows.exchange = (request, signal) =>
    new Promise<Exchanged>((resolve, reject) => {
      answers.push(() => exchange(request, signal).then(resolve, reject));
    });
  return {
    answers,
    pass: () => {
      rows.exchange = exchange;
    },
  };
}

const sentences = ({ source }: RowsMember): readonly string[] =>
  source.health().troubles.map(({ message }) => message);

describe('the shell of a lease', () => {
  it('awaits one turn of the event loop, whatever the number of inputs', async () => {
    const member = join(new MemoryStore(), { partitions: 64 });
    await member.clock.pass(1);
    let turns = 0;
    const counted = (callback: () => void): void => {
      turns += 1;
      setImmediate(callback);
    };
    Object.assign(member.clock, { turn: counted });
    for (let partition = 0; partition < 64; partition += 1)
      member.membership.prefer(partition, 'nobody');
    await turn();
    // One to wait for, and one to decide in.
    expect(turns).toBeLessThanOrEqual(2);
  });

  it('counts a deadline from before the request, and prolongs the term by each exchange (M2)', async () => {
    const member = join(new MemoryStore());
    const beganAt = member.clock.now();
    await member.clock.pass(1);
    expect(member.proofs).toEqual([beganAt + thresholdMs]);
    const token = member.source.role(0).term()?.token;
    await member.clock.pass(thresholdMs);
    expect(member.proofs.map((until) => until - beganAt)).toEqual([
      thresholdMs,
      expect.closeTo(thresholdMs * (4 / 3), 0),
      expect.closeTo(thresholdMs * (5 / 3), 0),
      expect.closeTo(thresholdMs * 2, 0),
    ]);
    expect(member.source.role(0).term()?.token).toBe(token);
  });

  it('counts T from when the store showed a renewal, and not from when it was read (M4)', async () => {
    const store = new MemoryStore();
    const leader = join(store);
    await leader.clock.pass(10);
    const standby = join(store, { member: 'b' });
    await standby.clock.pass(400);
    const before = leader.proofs.length;
    for (let ms = 0; ms < 400 && leader.proofs.length === before; ms += 1)
      await leader.clock.pass(1);
    expect(leader.proofs.length).toBe(before + 1);
    leader.rows.exchange = () => Promise.reject(new Error('the process is dead'));
    // It reads up to T/4 later, but it was shown the renewal within a millisecond.
    await standby.clock.pass(thresholdMs - 1);
    expect(standby.source.role(0).isLeading()).toBe(false);
    await standby.clock.pass(1 + 0.04 * thresholdMs);
    expect(standby.source.role(0).isLeading()).toBe(true);
  });

  it('reports a request that hangs as failed at its limit, and drops its late answer', async () => {
    const member = join(new MemoryStore());
    await member.clock.pass(10);
    const hang = hanging(member.rows);
    await member.clock.pass(0.6 * thresholdMs);
    expect(hang.answers.length).toBe(1);
    expect(sentences(member)).toEqual([
      `the store in memory: no answer within ${thresholdMs / 4} ms`,
    ]);
    hang.pass();
    const [late] = hang.answers;
    late?.();
    const { length } = member.proofs;
    await turn();
    expect(member.proofs.length).toBe(length);
    await member.clock.pass(thresholdMs);
    expect(sentences(member)).toEqual([]);
    expect(member.source.role(0).isLeading()).toBe(true);
  });

  it('ends the term at its deadline while requests hang, and names the cause as it was thrown', async () => {
    const member = join(new MemoryStore());
    await member.clock.pass(10);
    const cause = new Error('connection reset');
    member.rows.exchange = () => Promise.reject(cause);
    await member.clock.pass(thresholdMs - 11);
    expect(member.source.role(0).isLeading()).toBe(true);
    await member.clock.pass(1);
    expect(member.source.role(0).isLeading()).toBe(false);
    const [trouble] = member.source.health().troubles;
    expect(trouble).toMatchObject({
      code: 'unreachable',
      message: 'the store in memory: connection reset',
    });
    expect(trouble?.cause).toBe(cause);
  });

  it('takes an answer that the machine cannot read as a failure', async () => {
    const member = join(new MemoryStore());
    await member.clock.pass(10);
    const { exchange } = member.rows;
    member.rows.exchange = () => Promise.resolve({} as Exchanged);
    await member.clock.pass(0.5 * thresholdMs);
    expect(sentences(member)).toEqual([expect.stringContaining('the store in memory: ')]);
    member.rows.exchange = exchange;
    await member.clock.pass(2 * thresholdMs);
    expect(member.source.health().troubles).toEqual([]);
    expect(member.source.role(0).isLeading()).toBe(true);
  });

  it('feeds an answer of many rows in several turns of the event loop', async () => {
    const store = new MemoryStore();
    for (let index = 0; index < 1300; index += 1) store.rows.put(`stranger#${index}`, 'x');
    const member = join(store);
    const counts = new Set<number>();
    for (let turns = 0; turns < 20; turns += 1) {
      await turn();
      counts.add(member.source.health().ignored['unknown row'] ?? 0);
    }
    expect([...counts]).toEqual([512, 1024, 1300]);
  });

  it('decides once for all inputs of a turn', async () => {
    const member = join(new MemoryStore(), { partitions: 100 });
    await member.clock.pass(10);
    expect(member.source.held().size).toBe(100);
    const before = member.sent.length;
    const closed = member.source.close();
    await member.clock.pass(100);
    await closed;
    const releases = member.sent
      .slice(before)
      .map(({ changes }) => changes.filter(({ name }) => name.startsWith('partition#')).length);
    expect(releases).toEqual([100, 0]);
  });

  it('listens again while listening fails, reports it until then, and reads what it has missed', async () => {
    let calls = 0;
    let isUp = false;
    let sentBefore = Number.POSITIVE_INFINITY;
    const member = join(new MemoryStore(), {}, (rows) => {
      const listen = rows.listen?.bind(rows);
      Object.assign(rows, {
        listen: async (wake: () => void, signal: AbortSignal) => {
          calls += 1;
          if (!isUp) throw new Error('no channel');
          await listen?.(wake, signal);
          sentBefore = member.sent.length;
        },
      });
    });
    await member.clock.pass(thresholdMs);
    expect(sentences(member)).toEqual(['the store in memory: no channel']);
    expect(calls).toBeGreaterThan(3);
    expect(calls).toBeLessThan(10);
    isUp = true;
    while (sentBefore === Number.POSITIVE_INFINITY) await member.clock.pass(1);
    await turn();
    expect(member.sent.length).toBe(sentBefore + 1);
    expect(sentences(member)).toEqual([]);
    const before = calls;
    await member.clock.pass(2 * thresholdMs);
    expect(calls).toBe(before);
    expect(member.source.role(0).isLeading()).toBe(true);
  });

  it('reports a store that contradicts what it said of a partition, and claims it after T_max (M6)', async () => {
    const store = new MemoryStore();
    const member = join(store);
    await member.clock.pass(10);
    store.rows.put('partition#0', noneText(0, 'another life'));
    await member.clock.pass(0.5 * thresholdMs);
    expect(member.source.role(0).isLeading()).toBe(false);
    expect(member.source.health().troubles).toMatchObject([
      { code: 'assumption-broken', message: expect.stringContaining('partition 0: the store') },
    ]);
    await member.clock.pass(1.5 * thresholdMs);
    expect(member.source.role(0).isLeading()).toBe(true);
  });

  it('asks a few times in T for a pin that the store refuses although it shows none, and reports it', async () => {
    const store = new MemoryStore();
    const member = join(store, {}, (rows) => {
      const exchange = rows.exchange.bind(rows);
      rows.exchange = (request, signal) => {
        const isDenied = request.changes.some(({ name }) => name === 'pin');
        return exchange(isDenied ? { ...request, changes: [] } : request, signal).then((answer) =>
          isDenied ? { ...answer, outcomes: [false] } : answer,
        );
      };
    });
    await member.clock.pass(2 * thresholdMs);
    expect(member.sent.length).toBeGreaterThan(4);
    expect(member.sent.length).toBeLessThan(30);
    expect(member.source.health().troubles).toMatchObject([
      { code: 'misconfigured-backend', message: expect.stringContaining('reads as missing') },
    ]);
  });

  it('prepares the store again until it succeeds, and sends nothing before', async () => {
    const opened: boolean[] = [];
    let isUp = false;
    const member = join(new MemoryStore(), {}, (rows) => {
      rows.open = async (_, mayCreate) => {
        opened.push(mayCreate);
        if (!isUp) throw new Error('no route to host');
      };
    });
    member.membership.exceed?.(0, 1n);
    await member.clock.pass(2 * thresholdMs);
    expect(sentences(member)).toEqual(['the store in memory: no route to host']);
    expect(member.sent).toEqual([]);
    expect(opened.length).toBeGreaterThan(3);
    isUp = true;
    await member.clock.pass(thresholdMs);
    expect(member.source.role(0).isLeading()).toBe(true);
    expect(sentences(member)).toEqual([]);
    expect(new Set(opened)).toEqual(new Set([true]));
  });

  it('prepares the store again when an observer becomes a candidate: only then it may create', async () => {
    const opened: boolean[] = [];
    const member = join(new MemoryStore(), { campaign: false }, (rows) => {
      rows.open = async (_, mayCreate) => void opened.push(mayCreate);
    });
    await member.clock.pass(10);
    expect(opened).toEqual([false]);
    expect(member.source.health().troubles).toMatchObject([{ code: 'unknown-group' }]);
    member.membership.campaign(true);
    await member.clock.pass(10);
    expect(opened).toEqual([false, true]);
    expect(member.source.health().troubles).toEqual([]);
    expect(member.source.role(0).isLeading()).toBe(true);
  });

  it('lets the store create nothing any more once the member campaigns for no partition', async () => {
    const opened: boolean[] = [];
    const member = join(new MemoryStore(), { partitions: 2 }, (rows) => {
      rows.open = async (_, mayCreate) => void opened.push(mayCreate);
    });
    await member.clock.pass(10);
    member.membership.campaign(false, 1);
    await member.clock.pass(10);
    expect(opened).toEqual([true]);
    member.membership.campaign(false);
    await member.clock.pass(10);
    expect(opened).toEqual([true, false]);
    member.membership.campaign(true);
    await member.clock.pass(10);
    expect(opened).toEqual([true, false, true]);
  });

  it('prepares the store last as what the member is, if it stops meanwhile', async () => {
    const ended: boolean[] = [];
    const opens: (() => void)[] = [];
    const member = join(new MemoryStore(), {}, (rows) => {
      rows.open = async (_, mayCreate) => {
        await new Promise<void>((resolve) => opens.push(resolve));
        ended.push(mayCreate);
      };
    });
    await member.clock.pass(10);
    member.membership.campaign(false);
    await member.clock.pass(10);
    expect(opens).toHaveLength(1);
    opens[0]?.();
    await member.clock.pass(10);
    opens[1]?.();
    await member.clock.pass(10);
    expect(ended).toEqual([true, false]);
  });

  it('gives the store five seconds to be prepared, however short T is', async () => {
    let opened = (): void => undefined;
    const member = join(new MemoryStore(), { thresholdMs: 100 }, (rows) => {
      rows.open = () =>
        new Promise((resolve) => {
          opened = resolve;
        });
    });
    await member.clock.pass(4900);
    expect(sentences(member)).toEqual([]);
    opened();
    await member.clock.pass(10);
    await member.source.ready();
  });

  it.each(['open', 'exchange'] as const)(
    'refuses a member for good whose first %s is denied',
    async (call) => {
      const denied = new LeadershipError('unauthorized', 'permission denied for table leases');
      const member = join(new MemoryStore(), {}, (rows) => {
        Object.assign(rows, { [call]: () => Promise.reject(denied) });
      });
      const ready = member.source.ready().catch((error: unknown) => error);
      await member.clock.pass(10);
      expect(await ready).toMatchObject({ code: 'unauthorized', message: denied.message });
    },
  );

  it('gives up a term that the host has ended, and leads again in a later one (T3)', async () => {
    const member = join(new MemoryStore());
    await member.clock.pass(10);
    const token = member.source.role(0).term()?.token ?? 0n;
    member.refuses = true;
    await member.clock.pass(0.4 * thresholdMs);
    member.refuses = false;
    await member.clock.pass(thresholdMs);
    expect(member.source.role(0).term()?.token).toBeGreaterThan(token);
  });

  it('closes without waiting for the lease of work that was given up, and leaves it to lapse (H3)', async () => {
    const store = new MemoryStore();
    const member = join(store, { drainTimeoutMs: 0 });
    await member.clock.pass(10);
    void member.source.role(0).ifLeading(() => new Promise(() => undefined));
    const closed = member.source.close();
    await member.clock.pass(50);
    await closed;
    const texts = [...store.rows.rows].filter(([name]) => name !== 'pin').map(([, text]) => text);
    expect(texts.map((text) => JSON.parse(text).kind).sort()).toEqual(['hold', 'live']);
  });

  it('leads in terms with greater tokens than those that a store outside has accepted (T1)', async () => {
    const member = join(new MemoryStore());
    const outside = BigInt(member.clock.wallMicros()) + 1_000_000_000n;
    member.membership.exceed?.(0, outside);
    await member.clock.pass(10);
    expect(member.source.role(0).term()?.token).toBe(outside + 1n);
    const tooGreat = 2n ** 63n - 2n;
    member.membership.exceed?.(0, tooGreat);
    void member.membership.resign(0);
    await member.clock.pass(3 * thresholdMs);
    expect(member.source.role(0).term()?.token).toBeLessThan(tooGreat);
  });

  it('knows when the lease of another leader lapses, and of its own none', async () => {
    const store = new MemoryStore();
    const a = join(store);
    await a.clock.pass(10);
    const b = join(store, { member: 'b' });
    await b.clock.pass(10);
    expect(a.membership.leaseMs?.(0)).toBeUndefined();
    expect(b.membership.leaseMs?.(0)).toBeCloseTo(thresholdMs - 10, -1);
  });
});
