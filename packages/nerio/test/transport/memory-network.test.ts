import { monotonicClock } from '@leadership/core/adapter';
import { expect, test } from 'vitest';
import type { Introduction, Transport, TransportListener } from '../../src/transport/transport.ts';
import { type MemoryNetwork, memoryNetwork } from '../support/memory-network.ts';

interface Member {
  readonly transport: Transport;
  readonly updates: string[];
}

function join(network: MemoryNetwork, member: string, changes: Partial<Introduction> = {}): Member {
  const updates: string[] = [];
  const listener: TransportListener = {
    listening: () => undefined,
    received: (from, messages) =>
      messages.forEach(({ epoch, item }) =>
        updates.push(`${from.member} said ${item.kind} in ${epoch}`),
      ),
    wrongEpoch: (from, epoch) => void updates.push(`${from.member} is in ${epoch}`),
    connected: (peer) => void updates.push(`met ${peer.incarnation}`),
    disconnected: (peer) => void updates.push(`parted from ${peer.incarnation}`),
    published: (peer, { trouble }) => void updates.push(`${peer.incarnation} says ${trouble}`),
    displaced: (at, { incarnation }) =>
      void updates.push(`displaced at ${at.member} by ${incarnation}`),
    failed: (name, { code }) => void updates.push(`${name} failed: ${code}`),
    mended: (name) => void updates.push(`${name} mended`),
    dropped: (what) => void updates.push(`dropped ${what}`),
  };
  const self = {
    member,
    incarnation: `${member}0`,
    pin: { partitions: 8 },
    metadata: {},
    ...changes,
  };
  const transport = network.open({
    self,
    group: 'g',
    partitions: 8,
    thresholdMs: 1000,
    clock: monotonicClock,
    random: () => 0,
    listener,
  });
  transport.reach(['a', 'b']);
  transport.enter({
    number: 0,
    members: [{ member: 'a' }, { member: 'b' }],
    quorums: { kind: 'majority' },
    tokens: [],
  });
  return { transport, updates };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const ping = { epoch: 0, item: { kind: 'ping', beat: 1 } } as const;

test('members meet, exchange messages, and part', async () => {
  const network = memoryNetwork();
  const a = join(network, 'a');
  const b = join(network, 'b');
  await settled();
  expect(a.transport.isReached('b')).toBe(true);
  a.transport.send('b', ping);
  a.transport.send('b', { ...ping, epoch: 1 });
  await settled();
  await a.transport.close();
  await settled();
  expect(b.updates).toEqual([
    'met a0',
    'a said ping in 0',
    'dropped wrong-epoch',
    'a is in 1',
    'parted from a0',
  ]);
});

test('a cut applies to one direction', async () => {
  const network = memoryNetwork();
  const a = join(network, 'a');
  const b = join(network, 'b');
  await settled();
  const cut = network.cut('a', 'b');
  a.transport.send('b', ping);
  b.transport.send('a', ping);
  await settled();
  cut[Symbol.dispose]();
  a.transport.send('b', ping);
  await settled();
  expect(a.updates).toEqual(['met b0', 'b said ping in 0']);
  expect(b.updates).toEqual(['met a0', 'a said ping in 0']);
});

test('messages of a member with another pin are dropped (R3)', async () => {
  const network = memoryNetwork();
  const a = join(network, 'a');
  const b = join(network, 'b', { pin: { partitions: 4 } });
  await settled();
  a.transport.send('b', ping);
  await settled();
  expect(a.updates).toContain('b failed: partitions-differ');
  expect(b.updates).toContain('a failed: partitions-differ');
  expect(b.updates).not.toContain('a said ping in 0');
});
