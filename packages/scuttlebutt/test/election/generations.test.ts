import { describe, expect, test } from 'vitest';
import type { ElectionContext, Peer } from '../../src/protocol/election/context.ts';
import { publishVote } from '../../src/protocol/election/voting.ts';
import { type MemberState, newMember, scuttlebuttRules, step } from '../../src/protocol.ts';
import { World } from '../support/world.ts';

describe('a bound of a vote', () => {
  test('that was published is not forgotten when the estimate starts again from less (H2)', () => {
    const world = new World({ seed: 1, nodes: 2, voters: 1 });
    world.startAll();
    world.run(20_000);
    const { state, config } = world.process('m0');
    if (state === undefined) throw new Error('not started');
    const favorite = { member: 'm1', generation: 1 };
    const boundAfter = (clock: number, before: ElectionContext['state']) => {
      const peer: Peer = { ...favorite, isAlive: true, clock, declaration: undefined };
      const context: ElectionContext = {
        rules: scuttlebuttRules,
        config,
        state: { ...before, voterStates: before.voterStates.map((one) => ({ ...one, favorite })) },
        roster: { get: () => peer, candidates: () => [] },
        clock: 0,
        wallMicros: 0,
        outputs: [],
        hasChanged: false,
      };
      publishVote(context);
      return context.state;
    };
    const voterStates = state.election.voterStates.map((one) => ({ ...one, bound: 0 }));
    const later = boundAfter(100, { ...state.election, voterStates });
    expect(later.voterStates[0]?.bound).toBe(100);
    expect(boundAfter(50, later).voterStates[0]?.bound).toBe(100);
  });
});

describe('a member that starts a new generation (S1)', () => {
  test('reports a term that has expired meanwhile, and that it knows no leader', () => {
    const world = new World({ seed: 1, nodes: 1, voters: 1 });
    world.startAll();
    expect(world.run(60_000, () => world.leader() === 'm0')).toBe(true);
    const { state } = world.process('m0');
    if (state === undefined) throw new Error('not started');
    const later = (state.startedAt + 1e6) as MemberState['startedAt'];
    const moment = { now: later, wallMicros: 1.9e15 };
    const { outputs } = step(scuttlebuttRules, state, { kind: 'clock-stopped' }, moment);
    expect(outputs.filter(({ kind }) => kind === 'lost')).toHaveLength(1);
    expect(outputs).toContainEqual({ kind: 'leader', partition: 0, leader: undefined });
  });

  test('does so if others know more of it than itself, who would ignore it otherwise', () => {
    const world = new World({ seed: 1, nodes: 3, voters: 3 });
    world.startAll();
    world.run(20_000);
    const self = world.process('m1').state?.gossip.nodes.get('m1');
    if (self === undefined) throw new Error('not started');
    const { name, generation, beat, sequence, version, floor } = self;
    const ahead = { name, generation, beat: beat + 1e6, clock: 0, sequence, version, floor };
    const message = { pin: 'pin', from: ahead, body: { kind: 'deltas', deltas: [] } } as const;
    for (const other of ['m0', 'm2']) world.feed(other, { kind: 'received', message });
    world.run(60_000);
    for (const other of ['m0', 'm2']) {
      const known = world.process(other).state?.gossip.nodes.get('m1');
      expect(known?.generation).toBeGreaterThan(generation);
      expect(known?.beat).toBeLessThan(1e6);
    }
    expect(world.violations).toEqual([]);
  });

  test.each([
    [1, 2],
    [3, 4],
  ])(
    'never gets the one of the life before, although both met the same earlier one (S5), seeds %i and %i',
    (...seeds) => {
      const { config } = new World({ seed: 1, nodes: 3, voters: 3 }).process('m1');
      const [now, wallMicros] = [0 as MemberState['startedAt'], 1.8e15];
      // The wall clock was set back by an hour, and two lives in a row meet what others know.
      const generation = wallMicros + 3_600_000_000;
      const row = { name: 'm1', generation, beat: 9, clock: 0, sequence: 1, version: 0, floor: 0 };
      const from = { ...row, name: 'm0' };
      const delta = { row, declaration: undefined, since: 0, entries: [] };
      const message = { pin: 'pin', from, body: { kind: 'deltas', deltas: [delta] } } as const;
      const lives = seeds.map((seed) => {
        const life = newMember(
          scuttlebuttRules,
          config,
          { generation: wallMicros, seed },
          { now, wallMicros },
        );
        const met = step(
          scuttlebuttRules,
          life,
          { kind: 'received', message },
          { now, wallMicros },
        );
        return met.state.election.generation;
      });
      expect(Math.min(...lives)).toBeGreaterThan(generation);
      expect(new Set(lives).size).toBe(2);
    },
  );

  test('keeps the entries of the application, and others receive them', () => {
    const world = new World({ seed: 1, nodes: 3, voters: 3 });
    world.startAll();
    world.feed('m1', { kind: 'set', key: 'a', value: '1' });
    world.feed('m1', { kind: 'set', key: 'b', value: '2' });
    world.feed('m1', { kind: 'set', key: 'a', value: undefined });
    world.run(20_000);
    const before = world.process('m1').state?.election.generation ?? 0;
    world.suspend('m1', 5000);
    world.run(30_000);
    const known = world.process('m0').state?.gossip.nodes.get('m1');
    expect(known?.generation).toBeGreaterThan(before);
    expect([...(known?.entries ?? [])].map(([key, { value }]) => [key, value])).toEqual([
      ['b', '2'],
    ]);
    expect(world.leader()).toBeDefined();
    expect(world.violations).toEqual([]);
  });
});
