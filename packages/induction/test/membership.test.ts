import { LeadershipError, type LeadershipSource } from '@leadership/core';
import { aborted } from '@leadership/core/adapter';
import { afterEach, describe, expect, it } from 'vitest';
import { closeNow } from '../../core/test/support/close-now.ts';
import { type ManualClock, manualClock, turn } from '../../core/test/support/manual-clock.ts';
import { type InductionUnderTest, inductionOf, thresholdMs } from './support/induction-source.ts';
import { type SteeredBroker, steeredBroker } from './support/steered-broker.ts';

const refuse = (): never => {
  throw new Error('the adapter is broken');
};
const never = (): Promise<never> => new Promise(() => undefined);

/** In these tests partition 1 has no assignee, which is a trouble of its own. */
const ofNobodyInPartition1 = ['leaderless: no leader of partition 1'];
const troublesOf = (source: LeadershipSource): string[] =>
  source
    .health()
    .troubles.map(({ code, message }) => `${code}: ${message.split(' has been known')[0]}`);

let opened: InductionUnderTest[] = [];

/** Creates a broker and one member that is assigned partition 0. */
async function settled(options: Parameters<typeof inductionOf>[2] = {}): Promise<{
  readonly clock: ManualClock;
  readonly broker: SteeredBroker;
  readonly a: InductionUnderTest;
}> {
  const clock = manualClock();
  const broker = steeredBroker(clock);
  const a = join(broker, clock, options);
  a.assign([0], { generation: 1 });
  await clock.pass(50);
  return { clock, broker, a };
}

function join(...args: Parameters<typeof inductionOf>): InductionUnderTest {
  const one = inductionOf(...args);
  opened.push(one);
  return one;
}

afterEach(async () => {
  await Promise.all(opened.map((one) => closeNow(one).catch(() => undefined)));
  opened = [];
});

describe('induction', () => {
  it('leads an assigned partition once its own beat came back, and continues with every beat (I1, I3)', async () => {
    const clock = manualClock();
    const broker = steeredBroker(clock);
    const { source, assign, ...a } = join(broker, clock);
    assign([0], { generation: 1 });
    await source.ready();
    expect(source.role(0).isLeading()).toBe(false);
    await clock.pass(20);
    expect([0, 1].map((partition) => source.role(partition).isLeading())).toEqual([true, false]);
    const token = source.role(0).term()?.token;
    await clock.pass(10 * thresholdMs);
    expect(source.role(0).remainingMs()).toBeGreaterThan(thresholdMs / 2);
    expect(source.role(0).term()?.token).toBe(token);
    expect(troublesOf(source)).toEqual(ofNobodyInPartition1);
    expect(broker.log.length).toBeGreaterThan(90);
    expect(broker.log.every(({ partition }) => partition === 0)).toBe(true);
    await closeNow({ source, clock });
    expect(clock.pending).toBe(0);
    expect(a.closed).toEqual(['assignment', 'beats']);
  });

  it('leaves no gap at a planned move: the old owner leads until the new one does, then drains (I1)', async () => {
    const { clock, broker, a } = await settled();
    const b = join(broker, clock, { member: 'b' });
    const leading = (): string =>
      [a, b]
        .filter(({ source }) => source.role(0).isLeading())
        .map(({ source }) => source.member)
        .join();
    b.assign([], { generation: 1 });
    const end = new AbortController();
    void a.source.role(0).lead(() => aborted(end.signal));
    await clock.pass(50);
    a.assign([1], { generation: 2 });
    await clock.pass(200);
    expect(leading()).toBe('a');
    b.assign([0], { generation: 2 });
    const seen: string[] = [];
    for (let step = 0; step < 40; step += 1) {
      await clock.pass(1);
      seen.push(leading());
    }
    expect(new Set(seen)).toEqual(new Set(['a', 'a,b']));
    end.abort();
    await clock.pass(1);
    expect(leading()).toBe('b');
    await clock.pass(thresholdMs);
    expect(leading()).toBe('b');
    expect(a.source.roster().get(0)).toMatchObject({ member: 'b', self: false });
  });

  it('declines a partition that it resigned, leads until another member does, and campaigns again later (L9)', async () => {
    const { clock, broker, a } = await settled();
    const b = join(broker, clock, { member: 'b' });
    const resigned = a.source.role(0).resign();
    await clock.pass(thresholdMs / 2);
    expect(a.declined).toEqual([[0]]);
    expect(a.source.role(0).isLeading()).toBe(true);
    a.assign([1], { generation: 2 });
    b.assign([0], { generation: 2 });
    await clock.pass(50);
    await resigned;
    expect([a, b].map(({ source }) => source.role(0).isLeading())).toEqual([false, true]);
    await clock.pass(2 * thresholdMs);
    expect(a.declined).toEqual([[0], []]);
  });

  it('ignores the beats of a member with other partitions, and reports them (R3)', async () => {
    const { clock, broker, a } = await settled();
    const other = join(broker, clock, { member: 'b', partitions: 3 });
    other.assign([0], { generation: 2 });
    await clock.pass(100);
    expect(a.source.role(0).isLeading()).toBe(true);
    expect(a.source.health()).toMatchObject({
      ok: false,
      troubles: [{ code: 'partitions-differ' }],
    });
    expect(a.source.health().ignored['other-partitions']).toBeGreaterThan(0);
    await closeNow(other);
    await clock.pass(11 * thresholdMs);
    expect(troublesOf(a.source)).toEqual(ofNobodyInPartition1);
  });

  it('refuses to join a group with other partitions, if it learns of them in time (R3)', async () => {
    const { clock, broker } = await settled();
    const other = join(broker, clock, { member: 'b', partitions: 3 });
    const refused = expect(other.source.ready()).rejects.toMatchObject({
      code: 'partitions-differ',
      message: expect.stringContaining('partitions 2'),
    });
    await clock.pass(thresholdMs);
    await refused;
    other.assign([1], { generation: 2 });
    await clock.pass(thresholdMs);
    expect(other.candidacies.at(-1)).toBe(false);
    expect(other.source.held().size).toBe(0);
  });

  it('measures the error of the broker clock, and reports when it exceeds the configured maximum (I2)', async () => {
    const { clock, a } = await settled({ beats: 'all' });
    const error = a.source.health().measured['clockErrorMs'];
    expect(error).toBeGreaterThan(10);
    expect(error).toBeLessThan(20);
    a.reads = false;
    await clock.pass(1000);
    a.reads = true;
    expect(a.source.health().ok).toBe(true);
    const slow = manualClock();
    const vague = join(steeredBroker(slow, 400), slow, { beats: 'all' });
    vague.assign([0], { generation: 1 });
    await slow.pass(2000);
    expect(vague.source.health().troubles).toMatchObject([
      { code: 'assumption-broken', message: expect.stringContaining('clockErrorMsMax is 300') },
    ]);
  });

  it('without campaigning observes: it is assigned nothing, sends nothing, and knows the leader', async () => {
    const { clock, broker } = await settled();
    const observer = join(broker, clock, { member: 'o', campaign: false });
    await observer.source.ready();
    const before = broker.log.length;
    await clock.pass(thresholdMs);
    expect(observer.candidacies).toEqual([false]);
    expect(broker.log.slice(before).every(({ member }) => member === 'a')).toBe(true);
    expect(observer.source.roster().get(0)?.member).toBe('a');
  });
});

describe('a failing adapter', () => {
  it('has its beats repeated before the next ones are due, and causes only a trouble', async () => {
    const { clock, a } = await settled();
    a.instead.send = refuse;
    await clock.pass(thresholdMs / 2);
    expect(a.source.health()).toMatchObject({
      ok: false,
      troubles: [
        { code: 'unreachable', message: expect.stringContaining('the adapter is broken') },
      ],
    });
    expect(a.source.role(0).isLeading()).toBe(true);
    delete a.instead.send;
    await clock.pass(thresholdMs / 2);
    expect(a.source.health()).toMatchObject({ ok: true, troubles: [] });
    expect(a.source.role(0).isLeading()).toBe(true);
  });

  it('causes no trouble for a member that has nothing left to send', async () => {
    const { clock, a } = await settled();
    a.instead.send = refuse;
    await clock.pass(2 * thresholdMs);
    a.assign([], { generation: 2 });
    expect(a.source.health().ok).toBe(false);
    a.membership.campaign(false);
    await clock.pass(thresholdMs);
    expect(troublesOf(a.source).filter((trouble) => !trouble.startsWith('leaderless'))).toEqual([]);
  });

  it('that fails for long makes the member decline all partitions, until a beat comes back (I9)', async () => {
    const { clock, a } = await settled();
    a.instead.send = refuse;
    await clock.pass(0.7 * thresholdMs);
    expect(a.declined.at(-1)).toEqual([0, 1]);
    expect(a.source.role(0).isLeading()).toBe(true);
    a.assign([], { generation: 2 });
    await clock.pass(5 * thresholdMs);
    expect(a.source.health().troubles).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('the adapter is broken') }),
    );
    delete a.instead.send;
    await clock.pass(1.1 * thresholdMs);
    expect(a.declined.at(-1)).toEqual([]);
    expect(troublesOf(a.source).filter((trouble) => !trouble.startsWith('leaderless'))).toEqual([]);
  });

  it('is given T/3 for each request', async () => {
    const { clock, a } = await settled();
    a.instead.send = never;
    await clock.pass(thresholdMs);
    expect(a.source.health().troubles).toMatchObject([
      { message: expect.stringContaining('no answer within 1000 ms') },
    ]);
    expect(a.source.role(0).isLeading()).toBe(false);
    await clock.pass(thresholdMs);
    delete a.instead.send;
    await clock.pass(thresholdMs / 2);
    expect(a.source.role(0).isLeading()).toBe(true);
  });

  it.each(['assigned', 'received'] as const)(
    'is called again after a back-off when %s throws, and the last assignment stands',
    async (call) => {
      const { clock, a } = await settled();
      await a.source.ready();
      a.instead[call] = refuse;
      if (call === 'received') a.yieldEvent(undefined as never);
      else a.yieldDecision(undefined as never);
      await clock.pass(100);
      expect(a.source.health().troubles).toMatchObject([{ code: 'unreachable' }]);
      expect(a.source.role(0).isLeading()).toBe(true);
      delete a.instead[call];
      a.assign([0], { generation: 1 });
      await clock.pass(3 * thresholdMs);
      expect(a.source.health()).toMatchObject({ ok: true, troubles: [] });
    },
  );

  it.each(['unauthorized', 'misconfigured-backend', 'partitions-differ'] as const)(
    'that throws %s before the source is ready causes a refusal',
    async (code) => {
      for (const call of ['assigned', 'received'] as const) {
        const clock = manualClock();
        const one = join(steeredBroker(clock), clock, {}, ({ instead }) => {
          instead[call] = () => {
            throw new LeadershipError(code, 'this will never do');
          };
        });
        await expect(one.source.ready()).rejects.toMatchObject({
          code,
          message: 'this will never do',
        });
        expect(one.candidacies).toEqual([true, false]);
        await clock.pass(10 * thresholdMs);
        expect(one.source.held().size).toBe(0);
      }
    },
  );

  it('is retried if it throws the same later', async () => {
    const { clock, a } = await settled();
    await a.source.ready();
    a.instead.received = () => {
      throw new LeadershipError('unauthorized', 'not any more');
    };
    a.yieldEvent(undefined as never);
    await clock.pass(thresholdMs / 10);
    expect(a.source.health().troubles).toMatchObject([{ code: 'unauthorized' }]);
    delete a.instead.received;
    await clock.pass(thresholdMs);
    expect(a.source.health().ok).toBe(true);
    expect(a.source.role(0).isLeading()).toBe(true);
  });

  it('has resigned once the current term is over, even if the next one begins at the same moment (H2)', async () => {
    const clock = manualClock();
    const { source, assign } = join(steeredBroker(clock), clock);
    assign([0], { generation: 1, alone: true });
    await clock.pass(50);
    const first = source.role(0).term()?.token;
    const end = new AbortController();
    void source.role(0).ifLeading(() => aborted(end.signal));
    let hasResigned = false;
    void source
      .role(0)
      .resign()
      .then(() => {
        hasResigned = true;
      });
    // Beats continue during the drain, but the event loop is blocked for longer than the last of
    // them lasts.
    await clock.pass(thresholdMs);
    expect(hasResigned).toBe(false);
    clock.block(thresholdMs + 1);
    await clock.pass(thresholdMs);
    expect(source.role(0).term()?.token).toBeGreaterThan(first ?? 0n);
    expect(hasResigned).toBe(true);
    end.abort();
  });

  it('causes a trouble and no crash when standing or declined throw', async () => {
    const clock = manualClock();
    const one = join(steeredBroker(clock), clock, {}, ({ instead }) => {
      instead.setCandidate = refuse;
      instead.declined = refuse;
    });
    expect(one.source.health().troubles).toMatchObject([{ code: 'unreachable' }]);
    one.assign([0], { generation: 1, alone: true });
    await clock.pass(50);
    const resigned = one.source.role(0).resign();
    await clock.pass(50);
    await resigned;
    expect(one.source.role(0).isLeading()).toBe(false);
  });

  it('has invalid beats, and beats of other partitions and groups, dropped and counted', async () => {
    const { clock, broker, a } = await settled();
    const [beat] = broker.log;
    if (beat === undefined) throw new Error('it beats');
    a.yieldEvent({ kind: 'ignored', what: 'no-beat' });
    a.yieldEvent({ kind: 'beat', beat: { ...beat, partition: 9 }, receivedAt: clock.now() });
    a.yieldEvent({
      kind: 'beat',
      beat: { ...beat, group: 'h', generation: 99, incarnation: 'x' },
      receivedAt: clock.now(),
    });
    await clock.pass(10);
    expect(a.source.health().ignored).toEqual({
      'no-beat': 1,
      'foreign-partition': 1,
      'foreign-group': 1,
    });
    expect(a.source.role(0).isLeading()).toBe(true);
  });
});

describe('closing', () => {
  it('drains and finishes at once if the member is alone', async () => {
    const { clock, broker, a } = await settled();
    a.assign([0], { generation: 2, alone: true });
    const end = new AbortController();
    void a.source.role(0).lead(() => aborted(end.signal));
    await clock.pass(10);
    const closed = a.source.close();
    await clock.pass(100);
    expect(a.candidacies).toEqual([true, false]);
    expect(a.closed).toEqual([]);
    end.abort();
    await clock.pass(50);
    await closed;
    expect(a.closed).toEqual(['assignment', 'beats']);
    expect(broker.log.at(-1)?.standing).toBe('present');
    expect(clock.pending).toBe(0);
  });

  it('leads until another member does, for at most T', async () => {
    for (const takesOver of [true, false]) {
      const { clock, broker, a } = await settled();
      const b = join(broker, clock, { member: 'b' });
      const closed = a.source.close();
      await clock.pass(200);
      expect(a.source.role(0).isLeading()).toBe(true);
      if (takesOver) b.assign([0], { generation: 2 });
      await clock.pass(takesOver ? 50 : thresholdMs - 250);
      expect(a.closed).toEqual(takesOver ? ['assignment', 'beats'] : []);
      if (!takesOver) await clock.pass(100);
      await closed;
      expect(b.source.role(0).isLeading()).toBe(takesOver);
    }
  });

  it('waits for nothing once its signal aborts, even if the adapter hangs', async () => {
    const { clock, a } = await settled();
    a.instead.send = never;
    void a.source.role(0).lead(() => never());
    await clock.pass(thresholdMs / 2);
    const hurry = new AbortController();
    const closed = a.source.close({ signal: hurry.signal });
    await clock.pass(10);
    expect(a.source.role(0).isLeading()).toBe(true);
    hurry.abort();
    await closed;
    expect(a.source.role(0).isLeading()).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('is possible at any moment: before anything was received or assigned, and after a refusal', async () => {
    const clock = manualClock();
    const early = join(steeredBroker(clock), clock);
    await early.source.close();
    const silent = join(steeredBroker(clock), clock, {}, ({ instead }) => {
      instead.received = () => ({ [Symbol.asyncIterator]: () => ({ next: never }) });
      instead.assigned = () => ({ [Symbol.asyncIterator]: () => ({ next: never }) });
    });
    await turn();
    await silent.source.close();
    const refused = join(steeredBroker(clock), clock, {}, ({ instead }) => {
      instead.received = () => {
        throw new LeadershipError('unauthorized', 'no');
      };
    });
    await turn();
    await refused.source.close();
    for (const { closed } of [early, silent, refused])
      expect(closed).toEqual(['assignment', 'beats']);
    expect(clock.pending).toBe(0);
  });

  it('closes both parts even if one of them fails, and rejects', async () => {
    const { a } = await settled();
    a.instead.closeAssignment = refuse;
    await expect(closeNow(a)).rejects.toThrow('the adapter is broken');
    expect(a.closed).toEqual(['assignment', 'beats']);
  });
});
