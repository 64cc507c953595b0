// The fields of an event `leader` about the term before.
import { describe, expect, it } from 'vitest';
import type { LeadershipEvent } from '../../src/contract/event.ts';
import { type SteeredSource, steeredSource } from '../support/steered-backend.ts';

const led = (token: bigint, member = 'b') => ({ incarnation: member, member, token, metadata: {} });

/** The events of leaders, as `LEADER ENDED LEADERLESS`. */
function reportsOf({ source }: SteeredSource): string[] {
  const lines: string[] = [];
  source.events$.subscribe(({ kind, leader, ended, leaderlessMs }: LeadershipEvent) => {
    if (kind === 'leader') lines.push([leader ?? 'nobody', ended, leaderlessMs].join(' ').trim());
  });
  return lines;
}

describe('an event of a leader', () => {
  it('says how the term before ended, as the backend has read it, and how long no member led', async () => {
    const steered = steeredSource({ log: false, partitions: 1, campaign: false });
    const [lines, { host, clock }] = [reportsOf(steered), steered];
    host.leads(0, led(1n));
    host.leads(0, undefined, 'lapsed');
    await clock.pass(300);
    host.leads(0, led(2n, 'c'));
    host.leads(0, led(3n), 'handed-over');
    expect(lines).toEqual(['b', 'nobody lapsed', 'c lapsed 300', 'b handed-over 0']);
  });

  it('says so later, if more is known then', async () => {
    const steered = steeredSource({ log: false, partitions: 1, campaign: false });
    const [lines, { host, clock }] = [reportsOf(steered), steered];
    host.leads(0, led(1n));
    host.leads(0, undefined);
    await clock.pass(100);
    host.leads(0, led(2n, 'c'), 'proved-dead');
    expect(lines).toEqual(['b', 'nobody unknown', 'c proved-dead 100']);
  });

  it('is unknown while no member leads, and superseded once another term runs, if nothing shows the end', () => {
    const steered = steeredSource({ log: false, partitions: 1, campaign: false });
    const [lines, { host }] = [reportsOf(steered), steered];
    host.leads(0, led(1n));
    host.leads(0, led(2n, 'c'));
    host.leads(0, undefined);
    host.leads(0, led(3n));
    expect(lines).toEqual(['b', 'c superseded 0', 'nobody unknown', 'b superseded 0']);
  });

  it('says nothing of a term that goes on: its renewals were not read for a while', () => {
    const steered = steeredSource({ log: false, partitions: 1, campaign: false });
    const [lines, { host }] = [reportsOf(steered), steered];
    host.leads(0, led(1n));
    host.leads(0, undefined, 'lapsed');
    host.leads(0, led(1n));
    expect(lines).toEqual(['b', 'nobody lapsed', 'b']);
  });

  it('knows how a term of this member ended', async () => {
    const steered = steeredSource({ log: false, partitions: 1 });
    const [lines, { host, clock, grant, revoke }] = [reportsOf(steered), steered];
    grant(1n);
    await revoke();
    host.leads(0, led(2n));
    host.leads(0, undefined, 'handed-over');
    grant(3n, 500);
    await clock.pass(600);
    host.leads(0, led(4n));
    expect(lines.filter((line) => line.startsWith('b '))).toEqual([
      'b handed-over 0',
      expect.stringMatching(/^b lapsed \d+$/),
    ]);
  });
});
