// The sockets of one member: UDP datagrams, and streams for messages that do not fit into one.
// Rule numbers such as R4: docs/reference/rules.md.
import { createHash, randomBytes } from 'node:crypto';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { LeadershipError } from '@leadership/core';
import { codeIn, monotonicClock } from '@leadership/core/adapter';
import {
  addressAt,
  ByteWriter,
  type HostPort,
  type Keyring,
  keyIdBytesMax,
  LoadedKeys,
  listenAt,
  refusedAddress,
} from '@leadership/peer';
import type { Message } from '../protocol/message.ts';
import { readMessage, writeMessage } from './codec/message-form.ts';
import { Contacts } from './contacts.ts';
import {
  type Drop,
  type Envelope,
  envelopeBytes,
  openEnvelope,
  sealEnvelope,
  tagBytes,
} from './envelope.ts';
import { Resolver } from './resolver.ts';
import { Streams } from './streams.ts';
import type { GossipListener, GossipPlace, GossipTransport } from './transport.ts';
import { remedy, type UdpSettings } from './udp-options.ts';

/**
 * The largest UDP payload that crosses an IPv6 path of the least permitted MTU in one piece: 1280
 * bytes without the headers of IP and UDP.
 */
const datagramBytesMax = 1232;
/** The longest frame on a stream. The largest is one declaration: 40 bytes per partition and more. */
function frameBytesMax(partitions: number): number {
  return 65_536 + 64 * partitions;
}
/** The most bytes that wait in the socket: a network that takes none must not fill the memory. */
const queueBytesMax = 1_048_576;
/** How often keys are loaded again. Milliseconds. */
const renewMs = 1000;
const cookieSecretBytes = 32;
const nothing: Buffer = Buffer.alloc(0);

/** A transport that listens on real sockets. */
export class GossipSockets implements GossipTransport {
  readonly messageBytesMax: number;
  readonly #settings: UdpSettings;
  readonly #place: GossipPlace;
  readonly #listener: GossipListener;
  readonly #keys: LoadedKeys | undefined;
  readonly #tag: Buffer;
  readonly #contacts = new Contacts(randomBytes(cookieSecretBytes));
  readonly #resolver: Resolver;
  readonly #udp: UdpSocket;
  readonly #streams: Streams;
  readonly #writer = new ByteWriter();
  /** The configured members whose host names have no address. */
  readonly #withoutAddress = new Set<string>();
  #renewal: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * Listens on the address of this member.
   * @throws LeadershipError `invalid-options` if members would not authenticate each other and others
   * can reach the address; `unauthorized` if the keys cannot be loaded; `unreachable`
   */
  static async open(
    settings: UdpSettings,
    place: GossipPlace,
    listener: GossipListener,
  ): Promise<GossipSockets> {
    const at = listenAt(settings, place.member, remedy);
    if (typeof at === 'string') throw new LeadershipError('invalid-options', at);
    const listening = async (family: 4 | 6): Promise<GossipSockets> => {
      const sockets = new GossipSockets(settings, place, listener, family);
      try {
        await sockets.#listen(at);
        return sockets;
      } catch (error) {
        await sockets.close();
        throw error;
      }
    };
    const family = familyOf(settings, place, at);
    try {
      return await listening(family).catch((error: unknown) => {
        // A host may have ::1 only.
        if (at.host !== 'localhost' || codeIn(error) !== 'EADDRNOTAVAIL') throw error;
        return listening(6);
      });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const sentence = `member "${place.member}" cannot listen: ${why}`;
      throw new LeadershipError('unreachable', sentence, { cause });
    }
  }

  private constructor(
    settings: UdpSettings,
    place: GossipPlace,
    listener: GossipListener,
    family: 4 | 6,
  ) {
    const { member, group, partitions } = place;
    const failed = (error: Error): void => this.#failed(member, error);
    this.#settings = settings;
    this.#place = place;
    this.#listener = listener;
    this.#keys = settings.keys && new LoadedKeys(settings.keys);
    this.#tag = createHash('sha256').update(group).digest().subarray(0, tagBytes);
    this.#resolver = new Resolver(family);
    this.#udp = createSocket({ type: `udp${family}` }).on('error', failed);
    this.#streams = new Streams({
      clock: monotonicClock,
      frameBytesMax: frameBytesMax(partitions),
      arrived: (bytes) => this.#arrived(bytes),
      dropped: (why) => listener.dropped(why),
      unsent: () => listener.dropped('unsent'),
      failed,
    });
    this.messageBytesMax = messageBytesMax(this.#keyring, member);
  }

  send(to: string, message: Message): void {
    if (this.#isClosed) return;
    this.#writer.restart();
    writeMessage(this.#writer, message);
    const now = monotonicClock.now();
    const sealed = this.#sealed(to, this.#writer.bytes(), this.#contacts.cookiesFor(to, now));
    if (this.#maySend(to, message, sealed.length)) this.#post(to, sealed);
    else this.#ask(to);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#renewal);
    await new Promise<void>((closed) => this.#udp.close(closed));
    await this.#streams.close();
  }

  get #keyring(): Keyring | undefined {
    return this.#keys?.keyring;
  }

  async #listen(at: { readonly host?: string; readonly port: number }): Promise<void> {
    const { host: address, port } = at;
    this.#udp.bind({ port, exclusive: true, ...(address !== undefined && { address }) });
    await once(this.#udp, 'listening');
    this.#udp.on('message', (bytes) => this.#arrived(bytes));
    // Others find both at one address: a name may have several, such as localhost.
    const host = address && this.#udp.address().address;
    await this.#streams.listen({ port, ...(host !== undefined && { host }) });
    if (this.#keys) this.#renewal = setInterval(() => this.#renew(), renewMs);
  }

  #renew(): void {
    this.#listener.keys(this.#keys?.renew());
  }

  #failed(member: string, error: Error): void {
    if (!this.#isClosed) this.#listener.failed(member, error);
  }

  /**
   * An answer is sent to a proved address, or is not larger than what it answers. A message of this
   * member's own is also sent to the configured addresses, at a bounded rate.
   */
  #maySend(to: string, { body }: Message, bytes: number): boolean {
    const now = monotonicClock.now();
    if (this.#contacts.isProved(to, now) || this.#contacts.spend(to, bytes)) return true;
    if (body.kind === 'reply' || !this.#place.configured.includes(to)) return false;
    return this.#contacts.mayBegin(to, now);
  }

  /** Asks for the cookie, with an envelope that is empty. */
  #ask(to: string): void {
    const now = monotonicClock.now();
    const question = this.#sealed(to, nothing, this.#contacts.cookiesFor(to, now));
    if (this.#contacts.mayAsk(to, question.length, now)) this.#post(to, question);
  }

  #sealed(to: string, content: Buffer, cookies: Pick<Envelope, 'cookie' | 'echo'>): Buffer {
    const { member: from } = this.#place;
    return sealEnvelope(this.#tag, this.#keyring, { from, to, ...cookies, content });
  }

  #post(to: string, sealed: Buffer): void {
    const at = this.#addressOf(to);
    if (at === undefined) return;
    if (sealed.length > datagramBytesMax)
      return this.#streams.send(to, at, sealed, (error) => this.#streamed(to, error));
    if (this.#udp.getSendQueueSize() > queueBytesMax) return;
    this.#udp.send(sealed, at.port, at.host, (error) => {
      if (error) this.#failed(to, error);
    });
  }

  #streamed(to: string, error: Error | undefined): void {
    if (!this.#isClosed) this.#listener.streamed(to, error);
  }

  /** The IP address of that member, if it is known and may be used. */
  #addressOf(to: string): HostPort | undefined {
    const at = addressAt(this.#settings, to);
    const why = typeof at === 'string' ? at : refusedAddress(this.#settings, at, remedy);
    if (typeof at === 'string' || why !== undefined) {
      this.#failed(to, new LeadershipError('unreachable', `member "${to}" ${why}`));
      return undefined;
    }
    const { address, error } = this.#resolver.resolve(at.host, monotonicClock.now());
    if (error) this.#unresolved(to, address, error);
    else if (address !== undefined && this.#withoutAddress.delete(to))
      this.#listener.unresolved(to, undefined);
    return address === undefined ? undefined : { host: address, port: at.port };
  }

  /**
   * The latest lookup of a name has failed. An earlier address stays in use. The name of a member
   * that is not configured may have been removed together with the member.
   */
  #unresolved(to: string, address: string | undefined, error: Error): void {
    if (address !== undefined || !this.#place.configured.includes(to))
      return this.#failed(to, error);
    this.#withoutAddress.add(to);
    this.#listener.unresolved(to, error);
  }

  /** Processes an envelope. Returns whether it was taken: it is authentic, and for this member. */
  #arrived(bytes: Buffer): boolean {
    if (this.#isClosed) return false;
    const opened = openEnvelope(this.#tag, this.#keyring, bytes);
    if (typeof opened === 'string') return this.#dropped(opened);
    const { from, to, content } = opened;
    const { member } = this.#place;
    if (to !== member) return this.#dropped('misdirected');
    const isFresh = this.#contacts.received(from, bytes.length, opened, monotonicClock.now());
    if (isFresh === undefined) return this.#dropped('flood');
    if (content.length > 0) this.#read(from, content, isFresh);
    else if (!isFresh) this.#answer(from, opened.cookie);
    return true;
  }

  #dropped(why: Drop): false {
    this.#listener.dropped(why);
    return false;
  }

  /** Returns the cookie of a question, in as many bytes. */
  #answer(from: string, echo: Buffer): void {
    const { cookie } = this.#contacts.cookiesFor(from, monotonicClock.now());
    const answer = this.#sealed(from, nothing, { cookie, echo });
    if (this.#contacts.spend(from, answer.length)) this.#post(from, answer);
  }

  /**
   * A message of another configuration makes a newcomer refuse for good (R4), so it counts only if
   * it is fresh. Otherwise one that was recorded before the configuration changed could keep members
   * from starting.
   */
  #read(from: string, content: Buffer, isFresh: boolean): void {
    const message = readMessage(content, this.#place.partitions);
    if (message === undefined || message.from.name !== from)
      return this.#listener.dropped('malformed');
    if (isFresh || message.pin === this.#place.pin)
      return this.#listener.received(message, isFresh);
    this.#listener.dropped('unproved');
    this.#ask(from);
  }
}

/** The bytes that remain for a message in a datagram between members with names of that length. */
function messageBytesMax(keyring: Keyring | undefined, member: string): number {
  // The id of the signing key may change while the member runs.
  const growth = keyring ? keyIdBytesMax - Buffer.byteLength(keyring.signingId) : 0;
  const longest = 'x'.repeat(Buffer.byteLength(member));
  return datagramBytesMax - envelopeBytes(keyring, member, longest) - growth;
}

/** IPv6 if this member listens on, or is named by, an IPv6 address. */
function familyOf(
  settings: UdpSettings,
  { member }: GossipPlace,
  { host }: { readonly host?: string },
): 4 | 6 {
  const own = addressAt(settings, member);
  const named = typeof own === 'string' ? '' : own.host;
  return isIPv6(host ?? named) ? 6 : 4;
}
