import { describe, expect, it } from 'vitest';
import { Evidence } from '../../src/demo/evidence.ts';
import type { Setting, Succession } from '../../src/demo/news.ts';
import { verdict } from '../../src/demo/verdict.ts';

const setting: Setting = {
  backend: 'file',
  home: 'three processes',
  members: ['alice', 'bob'],
  thresholdMs: 1000,
  guarantees: { exclusive: true, tokens: 'ordered', handover: 'drained', assumes: ['drift'], overlapMsMax: 0, failoverMsMax: 1166 },
};
const crash = (tookMs: number, stallMs: number): Succession => ({ cause: 'crash', from: 'alice', to: 'bob', tookMs, stallMs });
const broken = (...successions: readonly Succession[]): readonly string[] => verdict(setting, successions, new Evidence()).broken;

describe('the verdict of the demo', () => {
  it('is good where every fail-over kept within the guarantee', () => {
    expect(broken(crash(900, 2), crash(1166, 0))).toEqual([]);
  });

  it('allows for the measured event-loop stall, and for no more', () => {
    expect(broken(crash(1180, 20))).toEqual([]);
    expect(broken(crash(1190, 20))).toEqual([expect.stringContaining('from alice to bob took 1190.0 ms, more than 1166 ms and 20.0 ms')]);
  });

  it('allows for two of the slowest answers of a store across the network, and for no more', () => {
    expect(broken({ ...crash(1180, 0), answerMs: 7 })).toEqual([]);
    expect(broken({ ...crash(1180.2, 0), answerMs: 7 })).toEqual([expect.stringContaining('and 2 answers of 7.0 ms')]);
  });

  it('holds a hand-over to no fail-over bound', () => {
    expect(broken({ ...crash(5000, 0), cause: 'hand-over' })).toEqual([]);
  });

  it('names two leaders', () => {
    const evidence = new Evidence();
    const look = { kind: 'look', state: 'leading', remainingMs: 1, stallMs: 0 } as const;
    evidence.add('alice', { ...look, atNs: 1n, token: 1n });
    evidence.add('bob', { ...look, atNs: 2n, token: 2n });
    evidence.add('alice', { ...look, atNs: 3n, token: 1n });
    expect(verdict(setting, [], evidence).broken).toEqual([expect.stringContaining('led at once')]);
  });
});
