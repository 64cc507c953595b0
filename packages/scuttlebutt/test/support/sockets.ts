// Real sockets of this host: members that only record what arrives, and sockets of strangers.

import { createHash } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type Keyring, keyringOf } from '@leadership/peer';
import { freePorts } from '@leadership/testkit/faults';
import { onTestFinished } from 'vitest';
import type { Row } from '../../src/protocol/gossip/node.ts';
import type { Message } from '../../src/protocol.ts';
import { type Envelope, sealEnvelope, tagBytes } from '../../src/transport/envelope.ts';
import type { GossipPlace, GossipTransport } from '../../src/transport/transport.ts';
import type { UdpOptions } from '../../src/transport/udp-options.ts';
import { udpTransport } from '../../src/transport/udp-transport.ts';

export const pin: string = 'cd'.repeat(16);
export const keys = { sign: 'a', accept: { a: 'a secret of the group' } } as const;
export const keyring: Keyring = keyringOf(keys);
export const partitions = 64;
/** The tag of the group of these members. */
export const tag: Buffer = createHash('sha256').update('g').digest().subarray(0, tagBytes);

function row(name: string): Row {
  return { name, generation: 5, beat: 1, clock: 7, sequence: 1, version: 1, floor: 0 };
}

/** A digest; `size` rows make it larger. */
export function message(from: string, size = 0): Message {
  const rows = Array.from({ length: size }, (_, index) => row(`row-${index}`));
  return { pin, from: row(from), body: { kind: 'digest', range: undefined, rows } };
}

/** The answer to a digest, in about 35 bytes for each row. */
export function reply(from: string, size: number): Message {
  const lacks = Array.from({ length: size }, (_, index) => row(`a-row-with-a-name-${index}`));
  return { pin, from: row(from), body: { kind: 'reply', deltas: [], lacks } };
}

/** Returns a name with a free port. */
export async function freeName(): Promise<string> {
  const [port] = await freePorts(1);
  return `127.0.0.1:${port}`;
}

async function bound() {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const close = (): Promise<void> => new Promise((closed) => socket.close(closed));
  return { socket, name: `127.0.0.1:${socket.address().port}`, close };
}

/** A member, and what arrives there. */
export interface Member {
  readonly name: string;
  readonly transport: GossipTransport;
  readonly received: Message[];
  /** Of each message: whether its sender had returned the cookie of this member. */
  readonly proved: readonly boolean[];
  readonly dropped: string[];
  readonly failed: string[];
  /** The members to which streams failed, and why; `undefined`: one has arrived. */
  readonly streamed: readonly (readonly [member: string, why: string | undefined])[];
  /** The members whose names have no address, and those that have one again. */
  readonly unresolved: readonly (readonly [member: string, why: string | undefined])[];
  /** The latest report about its keys. */
  readonly keysError: () => string | undefined;
  readonly close: () => Promise<void>;
}

/** Opens a member until the end of the test. */
export async function open(
  options: UdpOptions = { keys },
  place: Partial<GossipPlace> = {},
): Promise<Member> {
  const name = place.member ?? (await freeName());
  const [received, dropped, failed]: [Message[], string[], string[]] = [[], [], []];
  const proved: boolean[] = [];
  const unresolved: (readonly [member: string, why: string | undefined])[] = [];
  const streamed: (readonly [member: string, why: string | undefined])[] = [];
  let keysError: string | undefined;
  const transport = await udpTransport(options)(
    { group: 'g', member: name, partitions, pin, configured: [], ...place },
    {
      received: (one, isProved) => {
        received.push(one);
        proved.push(isProved);
      },
      dropped: (reason) => dropped.push(reason),
      failed: (member, error) => failed.push(`${member}: ${error.message}`),
      streamed: (member, error) => streamed.push([member, error?.message]),
      unresolved: (member, error) => unresolved.push([member, error?.message]),
      keys: (error) => {
        keysError = error?.message;
      },
    },
  );
  const close = (): Promise<void> => transport.close();
  onTestFinished(close);
  return {
    name,
    transport,
    received,
    proved,
    dropped,
    failed,
    streamed,
    unresolved,
    close,
    keysError: () => keysError,
  };
}

/** A socket of a stranger, and the datagrams that arrive there. */
export interface Stranger {
  readonly name: string;
  readonly socket: Socket;
  readonly arrived: Buffer[];
  send(to: string, bytes: Buffer): void;
}

/** Opens a socket until the end of the test. */
export async function stranger(): Promise<Stranger> {
  const { socket, name, close } = await bound();
  const arrived: Buffer[] = [];
  socket.on('message', (bytes) => arrived.push(bytes));
  onTestFinished(close);
  return {
    name,
    socket,
    arrived,
    send: (to, bytes) => socket.send(bytes, portOf(to), '127.0.0.1'),
  };
}

export function portOf(name: string): number {
  return Number(name.split(':')[1]);
}

const none: Buffer = Buffer.alloc(tagBytes);

/** A datagram as a member could send it. */
export function datagram(
  from: string,
  to: string,
  part: Partial<Envelope> = {},
  isSigned = true,
): Buffer {
  const envelope = { from, to, cookie: none, echo: none, content: Buffer.alloc(0), ...part };
  return sealEnvelope(tag, isSigned ? keyring : undefined, envelope);
}
