import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { Group } from '../../src/memory/memory-group.ts';
import { pass, passUntil } from '../support/fake-time.ts';

const thresholdMs = 1000;
const opened: LeadershipSource[] = [];

const join = (group: Group, member: string): LeadershipSource => {
  const source = group.join({ member, thresholdMs, partitions: 1, drainTimeoutMs: 0 });
  opened.push(source);
  return source;
};

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  await passUntil(Promise.all(opened.splice(0).map((source) => source.close())));
  vi.useRealTimers();
});

const state = async (source: LeadershipSource): Promise<string> => {
  const { value } = await source.role(0)[Symbol.asyncIterator]().next();
  return value?.state ?? 'complete';
};

describe('a member that is disconnected from the store', () => {
  it('leads until its deadline and no longer (H4)', async () => {
    const group = new Group('cut');
    const a = join(group, 'a');
    await pass(10);
    expect(a.role(0).isLeading()).toBe(true);
    group.cut('a');
    await pass(Math.ceil(a.role(0).remainingMs()) - 1);
    expect(a.role(0).isLeading()).toBe(true);
    await pass(1);
    expect(a.role(0).isLeading()).toBe(false);
    expect(await state(a)).toBe('fenced');
  });

  it('is succeeded by a member that received no message from it, not before T', async () => {
    const group = new Group('cut');
    const a = join(group, 'a');
    await pass(10);
    const b = join(group, 'b');
    await pass(10);
    group.cut('a');
    await pass(thresholdMs * 0.9);
    expect(b.role(0).isLeading() && a.role(0).isLeading()).toBe(false);
    await pass(Number(b.guarantees.failoverMsMax) - thresholdMs * 0.9);
    expect(b.role(0).isLeading()).toBe(true);
    expect(a.role(0).isLeading()).toBe(false);
  });

  it('reports in its health that it is disconnected and that no write was answered, until it is reconnected', async () => {
    const group = new Group('cut');
    const a = join(group, 'a');
    await pass(10);
    expect(a.health().ok).toBe(true);
    group.cut('a');
    await pass(thresholdMs);
    expect(a.health()).toMatchObject({
      ok: false,
      troubles: [{ code: 'unreachable' }, { code: 'unreachable' }],
    });
    expect(a.health().troubles.map(({ message }) => message)).toEqual([
      'the member is cut off from the store',
      expect.stringContaining('no answer within'),
    ]);
    group.mend('a');
    await pass(3 * thresholdMs);
    expect(a.health().troubles).toEqual([]);
  });

  it('reports in its health that it is disconnected although it only observes, until it is reconnected', async () => {
    const group = new Group('cut');
    const observer = group.join({
      member: 'observer',
      partitions: 1,
      thresholdMs,
      campaign: false,
    });
    join(group, 'a');
    await pass(10);
    expect(observer.health().ok).toBe(true);
    group.cut('observer');
    await pass(10);
    expect(observer.health()).toMatchObject({ ok: false, troubles: [{ code: 'unreachable' }] });
    group.mend('observer');
    await pass(thresholdMs);
    expect(observer.health()).toMatchObject({ ok: true, troubles: [] });
    await observer.close();
  });

  it('reads everything again once it is reconnected: the current leader, and the members present (M1)', async () => {
    const group = new Group('cut');
    const a = join(group, 'a');
    await pass(10);
    const b = join(group, 'b');
    await pass(10);
    group.cut('a');
    await pass(2 * thresholdMs);
    expect(a.role(0).leader()).toBeUndefined();
    group.mend('a');
    await pass(10);
    expect(a.role(0).leader()?.member).toBe('b');
    await b.close();
    await pass(10 * thresholdMs);
    expect(a.role(0).isLeading()).toBe(true);
  });

  it('neither sends nor receives lease requests: no lease is handed over to it or by it', async () => {
    const group = new Group('cut');
    const a = join(group, 'a');
    const b = join(group, 'b');
    await pass(10);
    const [leader, other] = a.role(0).isLeading() ? [a, b] : [b, a];
    group.cut(other.member);
    const elected = group.elect(other.member, 0);
    await pass(5 * thresholdMs);
    expect(other.role(0).isLeading()).toBe(false);
    group.mend(other.member);
    await pass(5 * thresholdMs);
    await elected;
    expect(other.role(0).isLeading()).toBe(true);
    expect(leader.role(0).isLeading()).toBe(false);
  });

  it('closes within T although its release is not answered', async () => {
    const group = new Group('cut');
    const a = join(group, 'a');
    await pass(10);
    group.cut('a');
    let closed = false;
    void a.close().then(() => {
      closed = true;
    });
    await pass(1.4 * thresholdMs);
    expect(closed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('may be disconnected before it has read anything, and is ready once it is reconnected', async () => {
    const group = new Group('cut');
    const a = join(group, 'a');
    group.cut('a');
    await pass(5 * thresholdMs);
    expect(a.role(0).isLeading()).toBe(false);
    group.mend('a');
    group.mend('a');
    await pass(3 * thresholdMs);
    expect(a.role(0).isLeading()).toBe(true);
    await a.ready();
  });
});

it('an unknown member can be neither cut nor mended', () => {
  const group = new Group('cut');
  const sentence = 'group "cut" has no member "nobody"';
  expect(() => group.cut('nobody')).toThrow(
    expect.objectContaining({ code: 'invalid-options', message: sentence }),
  );
  expect(() => group.mend('nobody')).toThrow(
    expect.objectContaining({ code: 'invalid-options', message: sentence }),
  );
});
