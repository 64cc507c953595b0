// Three servers of NATS, whose processes are killed, stopped and restored while members compete.
import { randomUUID } from 'node:crypto';
import type { LeadershipSource } from '@leadership/core';
import {
  type Clock,
  leaseBackend,
  monotonicClock,
  openSource,
  resolveOptions,
} from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import { leaseRenewed } from '@leadership/testkit/internal';
import { hasNats, type LocalNats, localNats, type NatsProcess } from '@leadership/tools/nats';
import { keepsTermThenHandsOver } from '@leadership/tools/rows';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NatsBucket } from '../src/bucket.ts';
import { natsLeadership } from '../src/index.ts';
import { natsRows } from '../src/rows.ts';
import { type Administrator, administrator, bucketName } from './support/administrator.ts';
import { backUp, restored } from './support/backup.ts';

const thresholdMs = 1000;
/** A lease that outlasts an election of NATS, which begins after 4 to 9 s. Milliseconds. */
const longMs = 30_000;
const dayMicros = 86_400_000_000;
const stream = `KV_${bucketName}`;

const leads = (source: LeadershipSource): boolean => source.role(0).isLeading();
const tokenOf = (source: LeadershipSource): bigint => source.role(0).term()?.token ?? 0n;

/** Awaits that all members are well. Says what is not if it takes too long. */
async function allGood(sources: readonly LeadershipSource[]): Promise<void> {
  await eventually('health() is good', () => sources.every((source) => source.health().ok), {
    details: () => `: ${JSON.stringify(sources.map((source) => source.health()))}`,
  });
}

/** Notes whether two of the members led at once, every few milliseconds until it is disposed of. */
function overlaps(sources: readonly LeadershipSource[]): Disposable & { readonly count: number } {
  let count = 0;
  const timer = setInterval(() => {
    if (sources.filter(leads).length > 1) count += 1;
  }, 5);
  return {
    get count() {
      return count;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

describe.runIf(await hasNats())('a member of three servers of NATS', () => {
  let nats: LocalNats;
  let admin: Administrator;
  let opened: AsyncDisposable[];
  beforeAll(async () => {
    nats = await localNats({ servers: 3 });
    admin = await administrator({ servers: [...nats.addresses] });
  });
  afterAll(async () => {
    await admin[Symbol.asyncDispose]();
    await nats[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    opened = [];
  });
  afterEach(async () => {
    for (const server of nats.servers) server.resume();
    await Promise.all(opened.map((one) => one[Symbol.asyncDispose]()));
  });

  function member(name: string, group: string, leaseMs = thresholdMs): LeadershipSource {
    const source = natsLeadership({
      servers: nats.addresses,
      group,
      member: name,
      thresholdMs: leaseMs,
      partitions: 1,
      log: false,
    });
    opened.push(source);
    return source;
  }

  /** Returns the server that leads the bucket. */
  async function leaderOfBucket(): Promise<NatsProcess> {
    return eventually('a server leads the bucket', async () => {
      const info = await admin.call(`STREAM.INFO.${stream}`).catch(() => undefined);
      const { leader } = (info?.['cluster'] ?? {}) as { readonly leader?: string };
      return nats.servers.find(({ name }) => name === leader);
    });
  }

  it('keeps a long term while the server that leads the bucket is killed', async () => {
    const group = randomUUID();
    const sources = ['a', 'b', 'c', 'd'].map((name) => member(name, group, longMs));
    using twice = overlaps(sources);
    await keepsTermThenHandsOver(sources, async () => {
      const server = await leaderOfBucket();
      await server.kill();
      return () => server.start();
    });
    await allGood(sources);
    expect(twice.count).toBe(0);
  });

  // A paused server seems to run, so the others place consumers on it: a member may need several attempts.
  it.each(['killed', 'paused'] as const)(
    'ends a short term while the server that leads the bucket is %s, and leads again',
    async (fault) => {
      const group = randomUUID();
      const sources = ['a', 'b'].map((name) => member(name, group));
      using twice = overlaps(sources);
      const leader = await eventually('a member leads', () => sources.find(leads));
      const token = tokenOf(leader);
      const server = await leaderOfBucket();
      if (fault === 'killed') await server.kill();
      else server.pause();
      await eventually('a member leads a later term', () =>
        sources.some((source) => tokenOf(source) > token),
      );
      if (fault === 'killed') await server.start();
      else server.resume();
      await allGood(sources);
      expect(twice.count).toBe(0);
    },
  );

  it.each([2, 3])(
    'ends its term while %i of three servers are away, says why, and leads again',
    async (count) => {
      const source = member('a', randomUUID());
      await eventually('it leads', () => leads(source));
      const token = tokenOf(source);
      const away = nats.servers.slice(0, count);
      await Promise.all(away.map((server) => server.kill()));
      await eventually('its term ends', () => !leads(source));
      await eventually('health() says why', () =>
        source.health().troubles.some(({ code }) => code === 'unreachable'),
      );
      await Promise.all(away.map((server) => server.start()));
      await eventually('it leads again', () => leads(source));
      expect(tokenOf(source)).toBeGreaterThan(token);
      await allGood([source]);
    },
  );

  it('hands over among members whose wall clocks are a day ahead and a day behind, with growing tokens', async () => {
    const group = randomUUID();
    const ahead = withClock('ahead', group, dayMicros);
    await eventually('it leads', () => leads(ahead));
    const token = tokenOf(ahead);
    const behind = withClock('behind', group, -dayMicros);
    using twice = overlaps([ahead, behind]);
    await eventually('they know one another', () => behind.role(0).leader()?.member === 'ahead');
    // Neither clock makes a lease look old.
    await leaseRenewed(ahead.role(0));
    await leaseRenewed(ahead.role(0));
    expect([leads(ahead), tokenOf(ahead)]).toEqual([true, token]);
    await ahead.close();
    await eventually('the other one leads', () => leads(behind));
    expect(tokenOf(behind)).toBeGreaterThan(token);
    expect(behind.health()).toMatchObject({ troubles: [], warnings: [] });
    expect(twice.count).toBe(0);
  });

  /** Opens a member whose wall clock is off by this much. */
  function withClock(name: string, group: string, offMicros: number): LeadershipSource {
    const resolved = resolveOptions({ group, member: name, thresholdMs, partitions: 1 });
    const clock: Clock = {
      now: () => monotonicClock.now(),
      wake: (at, call) => monotonicClock.wake(at, call),
      wallMicros: () => monotonicClock.wallMicros() + offMicros,
    };
    const place = { bucket: bucketName, group, thresholdMs };
    const backend = leaseBackend(
      resolved,
      (host) => {
        const bucket = new NatsBucket({ ...place, servers: nats.addresses }, host);
        return natsRows(bucket, { ...place, notifications: true }, host);
      },
      { showsRenewals: true },
    );
    const source = openSource(backend, resolved, { clock });
    opened.push(source);
    return source;
  }

  it('notices that the bucket was restored, says so, and leads again with a greater token, as does a new group', async () => {
    const group = randomUUID();
    const sources = ['a', 'b'].map((name) => member(name, group));
    using twice = overlaps(sources);
    const leader = await eventually('a member leads', () => sources.find(leads));
    const backup = await backUp(admin, stream);
    const token = tokenOf(leader);
    void leader.role(0).resign();
    // The backup does not contain this term.
    const next = await eventually('the other member leads', () =>
      sources.find((source) => tokenOf(source) > token),
    );
    const lost = tokenOf(next);
    const reported = eventually('a member reports it', () =>
      sources.some((source) =>
        source.health().troubles.some(({ code }) => code === 'assumption-broken'),
      ),
    );
    await restored(admin, stream, backup);
    await reported;
    await eventually('a member leads a later term', () =>
      sources.some((source) => tokenOf(source) > lost),
    );
    await allGood(sources);
    expect(twice.count).toBe(0);
    const fresh = member('c', randomUUID());
    await eventually('a new group has a leader', () => leads(fresh));
  });
});
