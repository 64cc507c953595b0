// Forged datagrams for the real socket of a real member, which leads its group meanwhile.

import { heldBytes } from '@leadership/testkit/internal';
import { firstValueFrom } from 'rxjs';
import { expect } from 'vitest';
import { scuttlebuttLeadership } from '../../src/index.ts';
import type { OpenGossip } from '../../src/transport/transport.ts';
import { udpTransport } from '../../src/transport/udp-transport.ts';
import { forgeries, type Tally } from './fuzz.ts';
import { freeName, keys, stranger } from './sockets.ts';

/** A socket's buffer is short: the member gets the time to read after this number. */
const batch = 100;
/** The time for one batch. A datagram that the system has lost is not waited for. Milliseconds. */
const batchMs = 20;
/** The number of heap measurements. */
const looks = 10;

/** The state of a member after an attack. */
export interface Aftermath {
  /** Why the member dropped datagrams, and how many. */
  readonly dropped: Tally;
  readonly received: number;
  /** The number of datagrams that the member sent to the attacker. */
  readonly answers: number;
  /** The members that the member knows, itself included. */
  readonly members: number;
  readonly leads: boolean;
  /** The memory that a datagram retains on average, from the second measurement on. Bytes. */
  readonly keptBytes: number;
}

/** Sends that number of forged datagrams to a member with keys. */
export async function attack(seed: number, count: number): Promise<Aftermath> {
  const name = await freeName();
  const counts = { dropped: {} as Tally, all: 0, received: 0 };
  const attacker = await stranger();
  // Every answer, to whatever name, would arrive at the attacker.
  const addresses = (member: string): string => (member === name ? name : attacker.name);
  const open = udpTransport({ keys, addresses });
  const counting: OpenGossip = (place, listener) =>
    open(place, {
      failed: listener.failed.bind(listener),
      keys: listener.keys.bind(listener),
      unresolved: listener.unresolved.bind(listener),
      streamed: listener.streamed.bind(listener),
      received(message, isProved) {
        counts.received += 1;
        listener.received(message, isProved);
      },
      dropped(reason) {
        counts.all += 1;
        counts.dropped[reason] = (counts.dropped[reason] ?? 0) + 1;
        listener.dropped(reason);
      },
    });
  const source = scuttlebuttLeadership({
    group: 'g',
    member: name,
    voters: [name],
    transport: counting,
    thresholdMs: 1000,
    membersMax: 2,
    partitions: 6,
    log: false,
  });
  try {
    await expect.poll(() => source.role(0).isLeading()).toBe(true);
    const made = forgeries(seed, {}, name);
    const points: number[] = [];
    for (let sent = 0; sent < count; sent += batch) {
      for (let index = 0; index < batch; index += 1) {
        const { value } = made.next();
        if (value) attacker.send(name, value);
      }
      const until = performance.now() + batchMs;
      while (counts.all < sent + batch && performance.now() < until)
        await new Promise((resolve) => setImmediate(resolve));
      if (sent % (count / looks) === 0) points.push(await heldBytes());
    }
    const { size } = await firstValueFrom(source.liveness$);
    const [, first = 0] = points;
    return {
      dropped: counts.dropped,
      received: counts.received,
      answers: attacker.arrived.length,
      members: size,
      leads: source.role(0).isLeading(),
      keptBytes: ((points.at(-1) ?? 0) - first) / ((count * (points.length - 2)) / looks),
    };
  } finally {
    await source.close();
  }
}
