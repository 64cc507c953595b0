import { passUntil } from '@leadership/testkit/vitest';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type NerioSource, nerioLeadership, type OpenTransport } from '../../src/index.ts';
import type { Displacer, Introduction, TransportListener } from '../../src/transport/transport.ts';
import { memoryNetwork } from '../support/memory-network.ts';

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  uptime: () => performance.now() / 1000,
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The messages about displaced processes in the health of a source. */
function displacedIn(source: NerioSource): readonly string[] {
  return source
    .health()
    .troubles.filter(({ code }) => code === 'displaced')
    .map(({ message }) => message);
}

/** Opens member `a` of three. */
function openMember(transport: OpenTransport): NerioSource {
  const members = ['a', 'b', 'c'];
  return nerioLeadership({
    group: 'g',
    members,
    member: 'a',
    thresholdMs: 300,
    transport,
    log: false,
  });
}

test('two alternating incarnations of a member are two live processes: the report ends once they no longer alternate', async () => {
  let listener: TransportListener | undefined;
  let self: Introduction | undefined;
  const network = memoryNetwork();
  const transport: OpenTransport = (parts) => {
    ({ listener, self } = parts);
    return network.open(parts);
  };
  const source = openMember(transport);
  const meet = (member: string, incarnation: string): void => {
    if (self !== undefined) listener?.connected({ ...self, member, incarnation });
  };
  const displaced = (): readonly string[] => displacedIn(source);
  // Restarts: each incarnation is new. One incarnation connects several times.
  for (const life of ['x', 'y', 'y', 'z']) meet('b', life);
  meet('c', 'x');
  expect(displaced()).toEqual([]);
  meet('b', 'y');
  expect(displaced()).toEqual([
    'two live processes take part as member "b" and displace each other: incarnations y and z. Give each process a name of its own',
  ]);
  meet('b', 'z');
  expect(displaced()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(3001);
  expect(displaced()).toEqual([]);
  await passUntil(source.close());
});

test('a displaced process names the other one and the remedy in its own health, once, until it is no longer displaced', async () => {
  let listener: TransportListener | undefined;
  let own = '';
  const network = memoryNetwork();
  const transport: OpenTransport = (parts) => {
    ({ listener } = parts);
    own = parts.self.incarnation;
    return network.open(parts);
  };
  const source = openMember(transport);
  const displace = (at: string, by: Displacer): void =>
    listener?.displaced({ member: at, incarnation: `life-of-${at}` }, by);
  const displaced = (): readonly string[] => displacedIn(source);
  const remedy = `It and this process, incarnation ${own}, displace each other. Give each process a name of its own`;
  displace('b', { incarnation: own, address: '10.0.0.7' });
  expect(displaced()).toEqual([]);
  displace('b', { incarnation: 'x', address: '10.0.0.7' });
  expect(source.health().ok).toBe(false);
  const first = `another live process takes part as member "a": incarnation x, which member "b" meets at 10.0.0.7. ${remedy}`;
  expect(displaced()).toEqual([first]);
  // The two go on changing places, at every member: that is the same news.
  displace('c', { incarnation: 'x', address: '10.0.0.7:7400' });
  expect(displaced()).toEqual([first]);
  displace('c', { incarnation: 'y', address: '' });
  expect(displaced()).toEqual([
    `another live process takes part as member "a": incarnation y, which member "c" meets. ${remedy}`,
  ]);
  await vi.advanceTimersByTimeAsync(3001);
  expect(displaced()).toEqual([]);
  displace('c', { incarnation: 'y', address: '10.0.0.8' });
  expect(displaced()).toMatchObject([
    expect.stringContaining('which member "c" meets at 10.0.0.8.'),
  ]);
  await passUntil(source.close());
});
