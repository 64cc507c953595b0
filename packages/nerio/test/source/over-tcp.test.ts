// Whole members, as applications open them, over real connections.
import { openLeadership } from '@leadership/core';
import { expect, test } from 'vitest';
import { backend, nerioLeadership, tcpTransport } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { keys } from '../support/wire.ts';

test('members that are named by their addresses elect one, and another once it has left', async () => {
  const names = (await freePorts(3)).map((port) => `127.0.0.1:${port}`);
  const open = (member: string): ReturnType<typeof openLeadership> =>
    openLeadership(`nerio://${names.join(',')}/g?member=${encodeURIComponent(member)}`, {
      thresholdMs: 600,
      partitions: 1,
      metadata: { at: member },
      load: () => Promise.resolve({ backend }),
    });
  const [a, b, c] = await Promise.all(names.map(open));
  if (a === undefined || b === undefined || c === undefined) throw new Error('three were opened');
  await Promise.all([a, b, c].map((source) => source.ready()));
  const leads = (source: typeof a): boolean => source.role('x').isLeading();
  const othersKnow = (leader: typeof a): boolean =>
    [a, b, c].every((source) => source === leader || source.role('x').leader()?.metadata['at'] === leader.member);
  // Looked for anew each time: on a starved machine a lease may lapse.
  await eventually('one leads, and the others know', () => [a, b, c].some((source) => leads(source) && othersKnow(source)));
  const first = [a, b, c].find(leads) ?? a;
  const rest = [a, b, c].filter((source) => source !== first);
  await first.close();
  await eventually('another leads', () => rest.some(leads));
  await Promise.all(rest.map((source) => source.close()));
});

test('members with other keys find no quorum, and are told why', async () => {
  const names = (await freePorts(4)).map((port) => `127.0.0.1:${port}`);
  const members = names.map((member, index) => ({ member, votes: index > 0 }));
  const other = { sign: 'k1', accept: { k1: 'a key that nobody else has' } };
  const sources = names.map((member, index) =>
    nerioLeadership({
      group: 'g',
      member,
      members,
      thresholdMs: 600,
      partitions: 1,
      transport: tcpTransport({ keys: index === 0 ? other : keys }),
    }),
  );
  const [stranger, ...rest] = sources;
  await expect(stranger?.ready()).rejects.toMatchObject({ code: 'unauthorized' });
  await Promise.all(rest.map((source) => source.ready()));
  await eventually('one of the others leads', () => rest.some((source) => source.role('x').isLeading()));
  expect(rest.some((source) => (source.health().ignored['forged'] ?? 0) > 0)).toBe(true);
  await Promise.all(sources.map((source) => source.close()));
});

test('a member that cannot be called is refused before anything starts', () => {
  const options = { group: 'g', member: 'a.example:7400', members: ['a.example:7400', 'b'] };
  expect(() => nerioLeadership(options)).toThrow(/transport: member "b" is no HOST:PORT: addresses must say where it is to be called/);
  expect(() => nerioLeadership({ ...options, members: ['a', 'b.example:7400'], member: 'a' })).toThrow(
    /transport: member "a" is no HOST:PORT: give listen.port/,
  );
});
