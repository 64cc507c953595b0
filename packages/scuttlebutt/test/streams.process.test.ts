// Three voters behind firewalls, on real sockets. Their names are so long that few votes fit into a
// datagram.
import type { Trouble } from '@leadership/core';
import { freePorts } from '@leadership/testkit/faults';
import { type GossipProxy, gossipProxy } from '@leadership/testkit/internal';
import { expect, test } from 'vitest';
import { type ScuttlebuttSource, scuttlebuttLeadership, udpTransport } from '../src/index.ts';

const voters = ['a', 'b', 'c'].map((name) => name.repeat(200));

test('members between which a firewall passes UDP and drops TCP name it, and elect a leader once it is opened', async () => {
  const ports = await freePorts(voters.length);
  const proxies: GossipProxy[] = [];
  for (const port of ports) proxies.push(await gossipProxy({ port }));
  const addresses = Object.fromEntries(
    voters.map((name, index) => [name, `127.0.0.1:${proxies[index]?.port}`]),
  );
  for (const { tcp } of proxies) tcp.halfOpen();
  const reports: string[] = [];
  const note = (text: string): void => void reports.push(text);
  const log = { error: note, warn: note, info: () => undefined };
  const sources: ScuttlebuttSource[] = voters.map((member, index) => {
    const listen = { host: '127.0.0.1', port: ports[index] ?? 0 };
    const transport = udpTransport({ listen, addresses });
    const options = { group: 'g', partitions: 16, thresholdMs: 2000, membersMax: 4, log };
    return scuttlebuttLeadership({ ...options, member, voters, transport });
  });
  try {
    const messages = (list: 'troubles' | 'warnings') => (source: ScuttlebuttSource) =>
      source.health()[list].map(({ message }: Trouble) => message);
    const isBlocked = /do not arrive at .*TCP port \d+ of 127\.0\.0\.1: .*Open TCP as well as UDP/;
    const blocked = [expect.stringMatching(isBlocked)];
    const timeout = 30_000;
    for (const source of sources) {
      await expect
        .poll(() => messages('warnings')(source), { timeout })
        .toEqual([...blocked, ...blocked]);
      await expect
        .poll(() => messages('troubles')(source), { timeout })
        .toEqual(expect.arrayContaining(blocked));
      expect(source.health().ignored['unsent']).toBeGreaterThan(0);
    }
    // Longer than until the next failures: the same report is not made again.
    await new Promise((resolve) => setTimeout(resolve, 6000));
    const ofStreams = reports.filter((text) => isBlocked.test(text));
    expect(ofStreams.length, 'a trouble and two warnings of each').toBe(3 * voters.length);

    for (const { tcp } of proxies) tcp.mend();
    const leading = () => sources.filter((source) => source.role(0).isLeading()).length;
    await expect.poll(leading, { timeout }).toBe(1);
    for (const source of sources)
      await expect
        .poll(() => [source.health().ok, ...messages('warnings')(source)], { timeout })
        .toEqual([true]);
  } finally {
    await Promise.all(sources.map((source) => source.close()));
    await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()));
  }
}, 120_000);
