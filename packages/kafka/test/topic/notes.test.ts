import { LeadershipError } from '@leadership/core';
import type { Host, Instant, KnownMember } from '@leadership/core/adapter';
import { recordingHost } from '@leadership/testkit/adapter';
import { expect, test } from 'vitest';
import { Notes } from '../../src/topic/notes.ts';

const thresholdMs = 10_000;

/** A clock that a test moves. */
function movedClock() {
  const wakes = new Set<{ readonly at: number; readonly call: () => void }>();
  let nowMs = 0;
  return {
    clock: {
      now: () => nowMs as Instant,
      wallMicros: () => 1e15 + nowMs * 1000,
      wake(at: Instant, call: () => void) {
        const wake = { at: Number(at), call };
        wakes.add(wake);
        return { [Symbol.dispose]: () => void wakes.delete(wake) };
      },
    },
    async pass(ms: number): Promise<void> {
      const until = nowMs + ms;
      for (;;) {
        const due = [...wakes].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        wakes.delete(due);
        nowMs = Math.max(nowMs, due.at);
        due.call();
        await Promise.resolve();
      }
      nowMs = until;
    },
  };
}

type Passing = ReturnType<typeof movedClock>;

/** A member of a group, whose notes go to all members of the topic. */
function member(name: string, { clock }: Passing, topic: Notes[], group = 'g') {
  let members: readonly KnownMember[] = [];
  const sent: string[] = [];
  const recording = recordingHost(name);
  const host: Host = {
    ...recording,
    clock,
    members: (list) => {
      members = list;
    },
  };
  const context = { group, thresholdMs, clock };
  const notes = new Notes({ context, host, driftRate: 0, metadata: { of: name } });
  topic.push(notes);
  const refusing: { error?: LeadershipError } = {};
  notes.connected((text) => {
    if (refusing.error) return Promise.reject(refusing.error);
    sent.push(text);
    for (const one of topic) one.take(text, clock.now());
    return Promise.resolve();
  });
  notes.listening();
  const { troubles } = recording;
  return {
    notes,
    sent,
    refusing,
    troubles,
    names: () => members.map((one) => one.member),
    list: () => members,
  };
}

/** Two candidates and an observer of one topic. */
function threeMembers() {
  const time = movedClock();
  const topic: Notes[] = [];
  const observer = member('observer', time, topic);
  const a = member('a', time, topic);
  const b = member('b', time, topic);
  a.notes.stand(true);
  b.notes.stand(true);
  return { time, topic, observer, a, b };
}

test('candidates list each other, with roles and the first trouble; an observer lists them and writes nothing', async () => {
  const { time, observer, a, b } = threeMembers();
  await time.pass(thresholdMs / 2);
  expect([a.names().sort(), b.names().sort(), observer.names()]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
    ['a', 'b'],
  ]);
  a.notes.publish({ trouble: 'unreachable', roles: ['mail'] });
  await time.pass(thresholdMs / 2);
  expect(observer.list()[0]).toMatchObject({
    member: 'a',
    isCandidate: true,
    metadata: { of: 'a' },
    since: 1e12,
    trouble: 'unreachable',
    roles: ['mail'],
  });
  expect(observer.sent).toEqual([]);
});

test('a candidate that may not write reports it until it may, or stands no longer', async () => {
  const { time, a } = threeMembers();
  const refused = new LeadershipError('unauthorized', 'grant Write');
  a.refusing.error = refused;
  await time.pass(thresholdMs);
  expect([...a.troubles]).toEqual(['grant Write']);
  delete a.refusing.error;
  await time.pass(thresholdMs);
  expect([...a.troubles]).toEqual([]);
  a.refusing.error = refused;
  await time.pass(thresholdMs);
  expect([...a.troubles]).toEqual(['grant Write']);
  a.notes.stand(false);
  await time.pass(thresholdMs);
  expect([...a.troubles]).toEqual([]);
});

test('a note that is lost is no trouble', async () => {
  const { time, a } = threeMembers();
  a.refusing.error = new LeadershipError('unreachable', 'the client is not connected');
  await time.pass(2 * thresholdMs);
  expect([...a.troubles]).toEqual([]);
});

test('a member that leaves is removed at once, and one that is silent after T', async () => {
  const { time, topic, observer, a } = threeMembers();
  const leaving = a.notes.leave();
  await time.pass(1);
  await leaving;
  expect(observer.names()).toEqual(['b']);
  topic.splice(0, topic.length, observer.notes);
  // Its last note, and no later one, reaches the topic.
  topic.length = 0;
  await time.pass(thresholdMs - 2);
  expect(observer.names()).toEqual(['b']);
  await time.pass(2);
  expect(observer.names()).toEqual([]);
});

test('a reader is unsure until it has received a note of each present candidate', async () => {
  const time = movedClock();
  const { notes } = member('observer', time, []);
  expect(notes.isUnsure()).toBe(true);
  await time.pass(0.6 * thresholdMs);
  expect(notes.isUnsure()).toBe(false);
});

test('notes of other groups on the topic and other texts list no member', async () => {
  const time = movedClock();
  const topic: Notes[] = [];
  const observer = member('observer', time, topic);
  member('other', time, topic, 'another').notes.stand(true);
  const take = (text: string): boolean => observer.notes.take(text, time.clock.now());
  expect(['', 'x', '{}', '{"kind":"note"}', '{"kind":"note","group":"g"}'].map(take)).not.toContain(
    true,
  );
  const note = { kind: 'note', group: 'g', incarnation: 'i', thresholdMs: 'long' };
  expect(take(JSON.stringify(note))).toBe(false);
  expect(observer.names()).toEqual([]);
  expect(take(JSON.stringify({ ...note, thresholdMs: 1000 }))).toBe(true);
  expect(observer.list()).toEqual([
    { incarnation: 'i', member: '?', metadata: {}, isCandidate: true },
  ]);
});
