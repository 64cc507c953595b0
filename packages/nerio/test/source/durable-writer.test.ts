import { HealthReporter } from '@leadership/core/internal/engine';
import { recordingHost } from '@leadership/testkit/adapter';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nothingLearnt } from '../../src/protocol/learning.ts';
import type { MemberState } from '../../src/protocol.ts';
import { DurableWriter } from '../../src/source/durable-writer.ts';
import type { StoredState } from '../../src/source/stored-state.ts';
import { epochOf, selfNamed, settled } from '../support/test-members.ts';

const thresholdMs = 1000;
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A writer whose writes last until the test ends them. */
function written(keepsGrants = true, learning?: MemberState['learning']) {
  const writes: { readonly image: StoredState; readonly end: (error?: Error) => Promise<void> }[] =
    [];
  const host = { ...recordingHost('v'), random: () => 1 };
  const epoch = epochOf(['v', 'p', 'q']);
  let state: MemberState = { ...settled(selfNamed('v'), epoch), learning };
  let kept = 0;
  const write = (image: StoredState): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = async (error?: Error): Promise<void> => {
        if (error === undefined) resolve();
        else reject(error);
        await vi.advanceTimersByTimeAsync(0);
      };
      writes.push({ image, end });
    });
  const parts = {
    host,
    health: new HealthReporter(host),
    store: { read: () => Promise.resolve(undefined), write },
    keepsGrants,
    group: 'g',
    pin: {},
    thresholdMs,
    state: () => state,
    now: () => 0,
    signal: new AbortController().signal,
    kept() {
      kept += 1;
    },
  };
  const writer = new DurableWriter(parts, state);
  /** A step that grants until then. Returns the version that its outputs wait for. */
  const grant = (until: number): number => {
    const before: MemberState = state;
    state = { ...state, grants: state.grants.map((one) => ({ ...one, until })) };
    return writer.note(before, state, []);
  };
  /** A step with which the voter knows its grants. */
  const learn = (): number => {
    const before: MemberState = state;
    state = { ...state, learning: undefined };
    return writer.note(before, state, []);
  };
  return { writer, writes, grant, learn, host, kept: () => kept };
}

it('a version is durable once its write has ended, and not before (N4, N13)', async () => {
  const { writer, writes, grant, kept } = written();
  expect([grant(10), writer.durable, kept()]).toEqual([1, 0, 0]);
  await writes[0]?.end();
  expect([writer.durable, kept(), writes.length]).toEqual([1, 1, 1]);
});

it('the grants are on disk once a write since the voter learnt them has ended (N4)', async () => {
  const { writer, writes, learn } = written(true, nothingLearnt(0));
  expect([writer.hasGrants, learn(), writer.hasGrants]).toEqual([false, 1, false]);
  expect(writes[0]?.image.memory).toBeDefined();
  await writes[0]?.end();
  expect(writer.hasGrants).toBe(true);
});

it('a voter that stores no grants has none to wait for', () => {
  const { writer, writes, learn } = written(false, nothingLearnt(0));
  expect([writer.hasGrants, learn(), writes.length]).toEqual([true, 0, 0]);
});

it('a write covers only the versions before its beginning, and the next one all of the others (N4)', async () => {
  const { writer, writes, grant } = written();
  expect([grant(10), grant(20), grant(30)]).toEqual([1, 2, 3]);
  expect(writes).toHaveLength(1);
  await writes[0]?.end();
  expect([writer.durable, writes.length, writes[1]?.image.memory?.grants[0]?.until]).toEqual([
    1, 2, 30,
  ]);
  await writes[1]?.end();
  expect([writer.durable, writes.length]).toEqual([3, 2]);
});

it('a failed write is reported and repeated, and nothing is durable until one succeeds', async () => {
  const { writer, writes, grant, host } = written();
  grant(10);
  await writes[0]?.end(new Error('disk full'));
  expect([writer.durable, host.troubles.size]).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(thresholdMs / 20);
  expect(writes).toHaveLength(2);
  await writes[1]?.end();
  expect([writer.durable, host.troubles.size]).toEqual([1, 0]);
});

it('the disk has T for a write, from the first version that waits', async () => {
  const { writer, writes, grant, host } = written();
  const begunAt = host.clock.now();
  grant(10);
  await vi.advanceTimersByTimeAsync(300);
  grant(20);
  expect(writer.givesUpAt).toBe(begunAt + thresholdMs);
  await writes[0]?.end();
  expect(writer.givesUpAt).toBe(begunAt + 300 + thresholdMs);
  await writes[1]?.end();
  expect(writer.givesUpAt).toBe(Number.POSITIVE_INFINITY);
});

it('grants are not written by a member that does not store them', () => {
  const { writes, grant } = written(false);
  expect([grant(10), writes.length]).toEqual([0, 0]);
});
