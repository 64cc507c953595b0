import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { tcpProxy } from '@leadership/testkit/faults';
import { hasNats, type LocalNats, localNats } from '@leadership/tools/nats';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { natsLeadership } from '../src/index.ts';

const thresholdMs = 1000;

describe.runIf(await hasNats())('a member whose servers fail', () => {
  let opened: AsyncDisposable[] = [];
  afterEach(async () => {
    await Promise.all(opened.map((one) => one[Symbol.asyncDispose]()));
    opened = [];
  });

  function member(
    name: string,
    group: string,
    servers: readonly string[],
    leaseMs = thresholdMs,
  ): LeadershipSource {
    const place = { servers, group, member: name, thresholdMs: leaseMs };
    const source = natsLeadership({ ...place, partitions: 1, log: false });
    opened.push(source);
    return source;
  }

  const leads = (source: LeadershipSource): boolean => source.role(0).isLeading();
  const tokenOf = (source: LeadershipSource): bigint => source.role(0).term()?.token ?? 0n;

  describe('one server', () => {
    let nats: LocalNats;
    beforeAll(async () => {
      nats = await localNats();
    });
    afterAll(() => nats[Symbol.asyncDispose]());

    it.each(['cut', 'halfOpen'] as const)('fences a leader whose network is %s', async (fault) => {
      const way = await tcpProxy({ port: nats.servers[0]?.port ?? 0 });
      opened.push(way);
      const leader = member('a', fault, [`127.0.0.1:${way.port}`]);
      await eventually('it leads', () => leads(leader));
      const token = tokenOf(leader);
      const successor = member('b', fault, nats.addresses);
      await successor.ready();
      way[fault]();
      await eventually('a successor leads', () => {
        expect(leads(leader) && leads(successor)).toBe(false);
        return leads(successor);
      });
      expect(tokenOf(successor)).toBeGreaterThan(token);
      way.mend();
      await eventually('the first member is connected', () => leader.health().ok);
    });

    it('uses the next server if the first one accepts connections and answers nothing', async () => {
      const way = await tcpProxy({ port: nats.servers[0]?.port ?? 0 });
      opened.push(way);
      way.halfOpen();
      const source = member('a', 'silent', [`127.0.0.1:${way.port}`, ...nats.addresses]);
      await eventually('it leads', () => leads(source));
    });
  });
});
