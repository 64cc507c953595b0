import { describe, expect, it } from 'vitest';
import type { Setup, Succession } from '../../src/demo/demo-event.ts';
import { verdict } from '../../src/demo/verdict.ts';
import { WorkRecord } from '../../src/demo/work-record.ts';

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
  command: 'leadership run',
};
const crash = (tookMs: number, waitedMs: number): Succession => ({
  cause: 'crash',
  from: 'alice',
  to: 'bob',
  tookMs,
  waitedMs,
});
const broken = (...successions: readonly Succession[]): readonly string[] =>
  verdict(setup, successions, new WorkRecord()).broken;

describe('the verdict of the demo', () => {
  it('names nothing if every fail-over met the guarantee', () => {
    expect(broken(crash(900, 2), crash(1166, 0))).toEqual([]);
  });

  it('adds only the measured wait for a processor to the guarantee', () => {
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
    const work = new WorkRecord();
    work.note({ member: 'alice', event: { kind: 'worked', atNs: 1n, token: 1n } });
    work.note({ member: 'bob', event: { kind: 'worked', atNs: 2n, token: 2n } });
    work.note({ member: 'alice', event: { kind: 'worked', atNs: 3n, token: 1n } });
    expect(verdict(setup, [], work).broken).toEqual([
      expect.stringContaining('led at the same time'),
    ]);
  });
});
