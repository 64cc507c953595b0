import { describe, expect, it } from 'vitest';
import type { Setup, Succession } from '../../src/demo/demo-event.ts';
import { Observations } from '../../src/demo/observations.ts';
import { verdict } from '../../src/demo/verdict.ts';

const setup: Setup = {
  backend: 'file',
  home: 'three processes',
  members: ['alice', 'bob'],
  thresholdMs: 1000,
  guarantees: {
    exclusive: true,
    tokens: 'ordered',
    handover: 'drained',
    assumes: ['drift'],
    overlapMsMax: 0,
    failoverMsMax: 1166,
  },
};
const crash = (tookMs: number, stallMs: number): Succession => ({
  cause: 'crash',
  from: 'alice',
  to: 'bob',
  tookMs,
  stallMs,
});
const broken = (...successions: readonly Succession[]): readonly string[] =>
  verdict(setup, successions, new Observations()).broken;

describe('the verdict of the demo', () => {
  it('names nothing if every fail-over met the guarantee', () => {
    expect(broken(crash(900, 2), crash(1166, 0))).toEqual([]);
  });

  it('adds only the measured event-loop stall to the guarantee', () => {
    expect(broken(crash(1180, 20))).toEqual([]);
    expect(broken(crash(1190, 20))).toEqual([
      expect.stringContaining('from alice to bob took 1190.0 ms, more than 1166 ms and 20.0 ms'),
    ]);
  });

  it('adds only two of the longest response times of a store to the guarantee', () => {
    expect(broken({ ...crash(1180, 0), answerMs: 7 })).toEqual([]);
    expect(broken({ ...crash(1180.2, 0), answerMs: 7 })).toEqual([
      expect.stringContaining('and 2 answers of 7.0 ms'),
    ]);
  });

  it('does not apply the fail-over bound to a hand-over', () => {
    expect(broken({ ...crash(5000, 0), cause: 'hand-over' })).toEqual([]);
  });

  it('names two members that led at the same time', () => {
    const observations = new Observations();
    const observation = {
      kind: 'observation',
      state: 'leading',
      remainingMs: 1,
      stallMs: 0,
    } as const;
    observations.add('alice', { ...observation, atNs: 1n, token: 1n });
    observations.add('bob', { ...observation, atNs: 2n, token: 2n });
    observations.add('alice', { ...observation, atNs: 3n, token: 1n });
    expect(verdict(setup, [], observations).broken).toEqual([
      expect.stringContaining('led at the same time'),
    ]);
  });
});
