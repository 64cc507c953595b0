import { describe, expect, it } from 'vitest';
import { allOf } from '../../src/combine/combine.ts';
import type { LeadershipEvent } from '../../src/contract/event.ts';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import { combinedBy } from '../support/combined.ts';
import { steeredSource } from '../support/steered-backend.ts';

const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** A cause for which JSON.stringify throws. */
function cyclic(): Error {
  const cause = Object.assign(new Error('round'), { size: 3n });
  return Object.assign(cause, { cause });
}

describe('JSON.stringify', () => {
  it('accepts leader, roster, held, health, role and source; tokens are decimal strings', async () => {
    const { source, host, grant } = steeredSource({ metadata: { at: 'here' }, log: false });
    host.ready();
    grant(7n);
    host.leads(1, { member: 'b', token: 8n, metadata: {}, incarnation: 'b1' });
    host.trouble('unreachable', 'away', cyclic());
    const self = { member: 'a', self: true, token: '7', metadata: { at: 'here' } };
    const roster = { '0': self, '1': { member: 'b', self: false, token: '8', metadata: {} } };
    const held = { '0': { partition: 0, token: '7', since: expect.any(String) } };
    const cause = { name: 'Error', message: 'round', cause: { message: 'round' } };
    const health = {
      ok: false,
      troubles: [{ code: 'unreachable', since: expect.any(String), cause }],
    };
    expect(parsed(source.role(0).leader())).toEqual(self);
    expect(parsed(source.roster())).toEqual(roster);
    expect(parsed(source.held())).toEqual(held);
    expect(parsed(source.health())).toMatchObject(health);
    expect(parsed(source)).toMatchObject({
      group: 'g',
      member: 'a',
      partitions: 2,
      guarantees: { exclusive: true },
      held,
      roster,
      health,
    });
    expect(parsed(source.role(0))).toMatchObject({
      key: 0,
      partition: 0,
      leadership: { state: 'leading' },
      leader: self,
    });
    await source.close();
  });

  it('accepts the values of all streams, and every event', async () => {
    const { source, host, grant, revoke } = steeredSource({ log: false });
    const events: LeadershipEvent[] = [];
    const others: string[] = [];
    source.events$.subscribe((event) => events.push(event));
    const write = (value: unknown): void => void others.push(JSON.stringify(value) ?? 'undefined');
    source.held$.subscribe(write);
    source.roster$.subscribe(write);
    source.role(0).leader$.subscribe(write);
    source.role(0).leadership$.subscribe(write);
    grant(7n);
    host.trouble('unreachable', 'away', cyclic())[Symbol.dispose]();
    await revoke();
    grant(8n);
    host.lost(0, 'expired');
    host.refused('unauthorized', 'no', cyclic());
    await source.close();
    expect(parsed(events.find(({ kind }) => kind === 'acquired'))).toEqual({
      at: expect.any(Number),
      kind: 'acquired',
      member: 'a',
      partition: 0,
      token: '7',
    });
    expect(parsed(events.find(({ kind }) => kind === 'fenced'))).toMatchObject({
      token: '8',
      reason: 'expired',
    });
    expect(parsed(events.find(({ kind }) => kind === 'trouble'))).toMatchObject({
      code: 'unreachable',
      cause: { message: 'round' },
    });
    expect(others.at(-1)).toContain('"name":"LeadershipError","code":"unauthorized"');
  });

  it('accepts a combination and its troubles', async () => {
    const { source, a } = combinedBy(allOf);
    a.grant(7n);
    a.host.trouble('unreachable', 'away', cyclic());
    expect(parsed(source)).toMatchObject({
      health: { troubles: [{ message: 'ga: away', cause: { message: 'round' } }] },
    });
    await source.close();
  });

  it('keeps the message, the code and the causes of an error', () => {
    const error = new LeadershipError('unreachable', 'away', { cause: { size: 3n } });
    expect(parsed(error)).toMatchObject({
      name: 'LeadershipError',
      code: 'unreachable',
      message: 'away',
      cause: '[object Object]',
    });
  });
});
