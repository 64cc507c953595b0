import { monotonicClock } from '@leadership/core/adapter';
import type { Presence, Ranks } from '@leadership/core/internal/lease';
import { recordingHost } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { exclusiveParts } from '../src/exclusive-parts.ts';
import type { MemberContext } from '../src/member-context.ts';
import { noClient } from './support/no-client.ts';

describe('the exclusive guarantee', () => {
  it('needs only the members from a consumer group: any other presence can replace it', async () => {
    const host = recordingHost('m');
    const own = {
      topic: 't',
      group: 'g',
      partitions: 4,
      thresholdMs: 1000,
      sessionTimeoutMs: 6000,
      topicCheck: 'off',
    } as const;
    const context: MemberContext = { ...own, clock: monotonicClock, host, client: noClient };
    const presence: Presence = {
      announce: (signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
      async *present() {
        yield [host.incarnation, 'another'];
        await new Promise(() => undefined);
      },
    };
    const { placement, ledger } = exclusiveParts(context, undefined, () => ({
      ...presence,
      left: () => Promise.resolve(),
    }));
    placement.setCandidate(true);
    placement.holders(new Map([[3, { incarnation: 'another', token: 1n }]]));
    let preferred: (string | undefined)[] = [];
    const stop = new AbortController();
    for await (const ranks of placement.ranks(stop.signal)) {
      preferred = [...ranks.values()].map((order: Ranks) => order.at(0));
      break;
    }
    expect(preferred.filter((member) => member === host.incarnation)).toHaveLength(2);
    expect(preferred[3]).toBe('another');
    placement.setCandidate(false);
    await ledger.close();
  });
});
