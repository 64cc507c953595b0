// Messages between members: UDP datagrams, and a TCP connection for a message that does not fit into
// one. Nothing is ever sent back on such a connection.
import { createHash, randomBytes } from 'node:crypto';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { LeadershipError } from '@leadership/core';
import {
  ByteWriter,
  type GroupKeys,
  type HostPort,
  isLoopback,
  type Keyring,
  keyringOf,
  parseHostPort,
} from '@leadership/core/internal/transport';
import type { Message } from '../protocol/message.ts';
import { readMessage, writeMessage } from './codec/message-form.ts';
import { Contacts } from './contacts.ts';
import { envelopeBytes, openEnvelope, sealEnvelope, tagBytes } from './envelope.ts';
import type { GossipListener, GossipPlace, GossipTransport } from './transport.ts';

/** The options of a transport. The address of a member is `HOST:PORT`, by default its name. */
export interface GossipTransportOptions extends GossipPlace {
  /** The address of each member, by name. Default: a name is an address. */
  readonly addressOf?: (member: string) => string | undefined;
  /** Shared secrets. Datagrams of members without one are dropped. */
  readonly keys?: GroupKeys;
  /** Whether to leave this host without `keys`: then every host that reaches the port may vote. */
  readonly insecure?: boolean;
}

/**
 * The largest UDP payload that crosses an IPv6 path of the least permitted MTU in one piece: 1280
 * bytes without the headers of IP and UDP.
 */
const datagramBytesMax = 1232;
/** The longest frame on a stream. The largest is one declaration: 40 bytes per partition and more. */
function frameBytesMax(partitions: number): number {
  return 65_536 + 64 * partitions;
}
/** The connections from which frames are read at the same time. */
const connectionsMax = 64;
/** How long a frame may take to arrive. Milliseconds. */
const frameMs = 5000;
const lengthBytes = 4;
const cookieSecretBytes = 32;

/** The bytes that remain for a message in a datagram between members with names of that length. */
export function messageBytesMax({ keys, member }: GossipTransportOptions): number {
  const longest = 'x'.repeat(Buffer.byteLength(member));
  return datagramBytesMax - envelopeBytes(keys && keyringOf(keys), member, longest);
}

/**
 * Listens on the address of this member.
 * @throws LeadershipError `invalid-options` if members would not authenticate each other and others
 * can reach the address
 */
export async function openGossipTransport(
  options: GossipTransportOptions,
  listener: GossipListener,
): Promise<GossipTransport> {
  const at = listenAt(options);
  const udp = createSocket({ type: isIPv6(at.host) ? 'udp6' : 'udp4' });
  const transport = new Transport(options, listener, udp);
  try {
    await transport.listen(at);
  } catch (error) {
    await transport.close();
    throw new LeadershipError('unreachable', `member "${options.member}" cannot listen`, {
      cause: error,
    });
  }
  return transport;
}

/** The ways to leave the host safely. */
const remedy = 'set keys, or use 127.0.0.1, or set insecure: true';

function listenAt(options: GossipTransportOptions): HostPort {
  const { member } = options;
  const at = addressAt(options, member);
  if (at === undefined)
    throw new LeadershipError('invalid-options', `member "${member}" is not a HOST:PORT`);
  if (mayReach(options, at)) return at;
  throw new LeadershipError(
    'invalid-options',
    `member "${member}" would listen on ${at.host} without authentication, so every host could vote: ${remedy}`,
  );
}

function addressAt({ addressOf }: GossipTransportOptions, member: string): HostPort | undefined {
  return parseHostPort((addressOf ? addressOf(member) : member) ?? '');
}

function mayReach({ keys, insecure }: GossipTransportOptions, { host }: HostPort): boolean {
  return keys !== undefined || insecure === true || isLoopback(host);
}

class Transport implements GossipTransport {
  readonly messageBytesMax: number;
  readonly #options: GossipTransportOptions;
  readonly #listener: GossipListener;
  readonly #keyring: Keyring | undefined;
  readonly #tag: Buffer;
  readonly #contacts = new Contacts(randomBytes(cookieSecretBytes));
  readonly #udp: UdpSocket;
  readonly #tcp: Server;
  readonly #streams = new Set<Socket>();
  readonly #writer = new ByteWriter();
  #isClosed = false;

  constructor(options: GossipTransportOptions, listener: GossipListener, udp: UdpSocket) {
    this.messageBytesMax = messageBytesMax(options);
    this.#options = options;
    this.#listener = listener;
    this.#keyring = options.keys && keyringOf(options.keys);
    this.#tag = createHash('sha256').update(options.group).digest().subarray(0, tagBytes);
    this.#udp = udp;
    this.#tcp = createServer((socket) => this.#serve(socket));
    this.#tcp.maxConnections = connectionsMax;
  }

  async listen({ host, port }: HostPort): Promise<void> {
    this.#udp.bind({ address: host, port, exclusive: true });
    await once(this.#udp, 'listening');
    this.#udp.on('message', (bytes) => this.#arrived(bytes));
    this.#udp.on('error', (error) => this.#listener.failed(this.#options.member, error));
    this.#tcp.listen({ host, port });
    await once(this.#tcp, 'listening');
    this.#tcp.on('error', (error) => this.#listener.failed(this.#options.member, error));
  }

  send(to: string, message: Message): void {
    this.#writer.restart();
    writeMessage(this.#writer, message);
    const { keys, configured } = this.#options;
    const sealed = this.#sealed(to, this.#writer.bytes());
    const isKnown = keys !== undefined || configured.includes(to) || this.#contacts.isProved(to);
    if (isKnown || this.#contacts.spend(to, sealed.length)) return this.#post(to, sealed);
    const question = this.#sealed(to, Buffer.alloc(0));
    if (this.#contacts.mayAsk(to, question.length, performance.now())) this.#post(to, question);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stream of this.#streams) stream.destroy();
    await new Promise<void>((closed) => this.#udp.close(closed));
    if (this.#tcp.listening) await new Promise<void>((closed) => this.#tcp.close(() => closed()));
  }

  #sealed(to: string, content: Buffer): Buffer {
    const cookie = this.#contacts.cookieFor(to);
    const echo = this.#contacts.echoFor(to);
    const { member: from } = this.#options;
    return sealEnvelope(this.#tag, this.#keyring, { from, to, cookie, echo, content });
  }

  #post(to: string, sealed: Buffer): void {
    const at = addressAt(this.#options, to);
    if (this.#isClosed) return;
    if (at === undefined || !mayReach(this.#options, at)) {
      const why = at === undefined ? 'has no known address' : `is at ${at.host}: ${remedy}`;
      const error = new LeadershipError('unreachable', `member "${to}" ${why}`);
      return this.#listener.failed(to, error);
    }
    if (sealed.length > datagramBytesMax) return this.#stream(to, at, sealed);
    this.#udp.send(sealed, at.port, at.host, (error) => {
      if (error && !this.#isClosed) this.#listener.failed(to, error);
    });
  }

  #stream(to: string, { host, port }: HostPort, sealed: Buffer): void {
    const socket = connect({ host, port });
    this.#keep(socket);
    socket.on('error', (error) => this.#listener.failed(to, error));
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(sealed.length);
    socket.end(Buffer.concat([length, sealed]));
  }

  /** Reads one frame. A connection that is slow, or sends more, is closed. */
  #serve(socket: Socket): void {
    this.#keep(socket);
    // What a stranger's connection does is no failure of this member.
    socket.on('error', () => socket.destroy());
    const max = frameBytesMax(this.#options.partitions);
    let read: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      read = Buffer.concat([read, bytes]);
      const length = read.length < lengthBytes ? 0 : read.readUInt32BE();
      const isRead = read.length >= lengthBytes && read.length >= lengthBytes + length;
      if (length > max) this.#listener.dropped('malformed');
      else if (isRead) this.#arrived(read.subarray(lengthBytes, lengthBytes + length));
      if (length > max || isRead) socket.destroy();
    });
  }

  #keep(socket: Socket): void {
    this.#streams.add(socket);
    const timer = setTimeout(() => socket.destroy(), frameMs);
    socket.on('close', () => {
      clearTimeout(timer);
      this.#streams.delete(socket);
    });
  }

  #arrived(bytes: Buffer): void {
    if (this.#isClosed) return;
    const opened = openEnvelope(this.#tag, this.#keyring, bytes);
    if (typeof opened === 'string') return this.#listener.dropped(opened);
    const { from, to, cookie, echo, content } = opened;
    const { member, partitions } = this.#options;
    if (to !== member) return this.#listener.dropped('misdirected');
    this.#contacts.received(from, bytes.length, cookie, echo);
    if (content.length === 0) return;
    const message = readMessage(content, partitions);
    if (message === undefined || message.from.name !== from)
      return this.#listener.dropped('malformed');
    this.#listener.received(message);
  }
}
