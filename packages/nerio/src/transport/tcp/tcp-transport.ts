// The TCP transport. Each member connects to each other one and sends on the connections that it
// opened itself. So the two directions do not wait for each other, and a cut in one direction is a
// cut in that direction for the protocol too.
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { LeadershipError } from '@leadership/core';
import type { Instant, Publication } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import { notifyGuarded } from '@leadership/peer';
import type { Epoch } from '../../protocol/electorate.ts';
import { deliver, type MessageListener } from '../deliver.ts';
import { type Drops, noDrops } from '../drops.ts';
import { tagOf } from '../frames/frame.ts';
import { type Credentials, nonceBytes } from '../frames/handshake.ts';
import type { Receiver } from '../frames/messages.ts';
import { reception } from '../frames/reception.ts';
import { differenceOf } from '../pin.ts';
import type {
  Drop,
  Introduction,
  Message,
  OpenTransport,
  Transport,
  TransportParts,
} from '../transport.ts';
import type { TcpAddress } from './address.ts';
import { ConnectionRegistry } from './connection-registry.ts';
import { listeningFailed, pinError, speaksForFailed } from './errors.ts';
import { InboundConnection } from './inbound-connection.ts';
import { Link, type LinkCallbacks } from './link.ts';
import { Links } from './links.ts';
import {
  callAt,
  faultIn,
  listenAt,
  type Pace,
  paceOf,
  resolveTcp,
  type TcpOptions,
  type TcpSettings,
} from './options.ts';
import { OutboundConnection } from './outbound-connection.ts';
import { OwnFailures } from './own-failures.ts';
import { Secrets, withSecrets } from './secrets.ts';
import { TcpServer } from './tcp-server.ts';
import { dial, speaksFor } from './tls.ts';

/**
 * Connects the members over TCP: `transport: tcpTransport({ tls, keys })`. Loads keys and
 * certificates here and when the transport opens. If they cannot be loaded then, the transport does
 * not open, and `ready()` rejects.
 * @throws LeadershipError `invalid-options`; `unauthorized` if `keys` or `tls` throws
 */
export function tcpTransport(options: TcpOptions = {}): OpenTransport {
  const settings = withSecrets(resolveTcp(options));
  const open = (parts: TransportParts): Transport => new TcpTransport(settings, parts);
  return Object.assign(open, {
    fault: (member: string, members: readonly string[]) => faultIn(settings, member, members),
  });
}

/** How many peers outside the known epoch may be connected. They ask whether a later epoch runs. */
const strangersMax = 64;
/** How long `close` waits until the last messages were sent. Milliseconds. */
const closeMs = 1000;

/** Before the epoch is known no message is accepted. */
const nowhere: Receiver = { partitions: 0, epoch: -1, names: new Set() };

class TcpTransport implements Transport {
  readonly dropped: Drops = noDrops();
  readonly #settings: TcpSettings;
  readonly #parts: TransportParts;
  readonly #pace: Pace;
  readonly #tag: Buffer;
  readonly #secrets: Secrets;
  readonly #server: TcpServer;
  readonly #registry: ConnectionRegistry;
  readonly #links: Links = new Links((member, isKept, over) => this.#linkTo(member, isKept, over));
  readonly #inbound = new Set<InboundConnection>();
  readonly #inboundOf = new Map<string, InboundConnection>();
  readonly #troubles: OwnFailures;
  #receiver: Receiver = nowhere;
  #publication: Publication | undefined;
  #timer: Disposable;
  #tickDueAt: Instant;
  #closed: Promise<void> | undefined;

  constructor(settings: TcpSettings, parts: TransportParts) {
    const { self, clock, group, listener } = parts;
    const at = listenAt(settings, self.member);
    if (typeof at === 'string') throw new LeadershipError('invalid-options', at);
    this.#settings = settings;
    this.#parts = parts;
    this.#pace = paceOf(settings, parts.thresholdMs, parts.partitions);
    this.#tag = tagOf(group);
    this.#secrets = new Secrets(settings);
    this.#troubles = new OwnFailures({
      failed: (member, error) => this.#notify(() => listener.failed(member, error)),
      mended: (member) => this.#notify(() => listener.mended(member)),
    });
    this.#registry = new ConnectionRegistry({
      connected: (peer) => this.#notify(() => listener.connected(peer)),
      disconnected: (peer) => this.#notify(() => listener.disconnected(peer)),
    });
    this.#server = new TcpServer({
      at,
      tls: () => this.#secrets.tls,
      clock,
      connectMs: this.#pace.connectMs,
      listening: (address) => this.#listening(address),
      failed: (error) => this.#troubles.raise('listen', error),
      accepted: (socket, settled) => this.#accept(socket, settled),
      dropped: (what) => this.#drop(what),
    });
    this.#tickDueAt = after(clock.now(), this.#pace.heartbeatMs);
    this.#timer = clock.wake(this.#tickDueAt, () => this.#tick());
  }

  reach(members: readonly string[]): void {
    if (this.#closed !== undefined) return;
    this.#links.want(new Set(members.filter((member) => member !== this.#parts.self.member)));
  }

  enter({ number, members }: Epoch): void {
    this.#receiver = {
      partitions: this.#parts.partitions,
      epoch: number,
      names: new Set(members.map(({ member }) => member)),
    };
  }

  send(to: string, message: Message): void {
    if (this.#closed === undefined && to !== this.#parts.self.member)
      this.#links.to(to).send(message);
  }

  publish(publication: Publication): void {
    this.#publication = publication;
  }

  isReached(member: string): boolean {
    return this.#links.known(member)?.isOpen === true;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#timer[Symbol.dispose]();
    const spoken = this.#links.close(this.#parts.clock, closeMs);
    const silent = this.#server.close();
    for (const inbound of this.#inbound) inbound.reset();
    await Promise.all([spoken, silent]);
  }

  #linkTo(member: string, isKept: boolean, over: (link: Link) => void): Link {
    const { partitions, clock, random, listener } = this.#parts;
    const link: Link = new Link(
      {
        to: member,
        partitions,
        clock,
        random,
        pace: this.#pace,
        connect: (callbacks) => this.#connect(member, callbacks),
        opened: (peer) => {
          this.#registry.joined(peer, link);
          this.#notify(() => listener.mended(member));
        },
        closed: () => this.#registry.left(member, link),
        displaced: (at, by) => this.#notify(() => listener.displaced(at, by)),
        failed: (error) => this.#notify(() => listener.failed(member, error)),
        dropped: (what) => this.#drop(what),
        over: () => over(link),
      },
      isKept,
    );
    return link;
  }

  #connect(to: string, callbacks: LinkCallbacks): OutboundConnection | LeadershipError {
    const address = callAt(this.#settings, to);
    if (typeof address === 'string')
      return new LeadershipError('unreachable', `member "${to}" ${address}`);
    const { tls, tlsMark } = this.#secrets;
    const { clock } = this.#parts;
    const credentials = this.#credentials();
    return new OutboundConnection({
      ...callbacks,
      to,
      dialled: dial(address, tls),
      tls,
      tlsMark,
      credentials,
      nonce: randomBytes(nonceBytes),
      clock,
      pace: this.#pace,
      publication: () => this.#publication,
    });
  }

  #accept(socket: Socket, settled: () => void): void {
    const { clock, partitions, listener } = this.#parts;
    const messageListener: MessageListener = {
      received: (from, received) => this.#notify(() => listener.received(from, received)),
      wrongEpoch: (from, epoch) => this.#notify(() => listener.wrongEpoch(from, epoch)),
      dropped: (what) => this.#drop(what),
    };
    let member: string | undefined;
    const inbound: InboundConnection = new InboundConnection({
      socket,
      reception: reception({
        credentials: this.#credentials(),
        nonce: randomBytes(nonceBytes),
        receiver: () => this.#receiver,
      }),
      clock,
      pace: this.#pace,
      partitions,
      tlsMark: this.#secrets.tlsMark,
      refuses: (member) => (this.#speaksFor(socket, member) ? this.#refuses(member) : 'forged'),
      proved: (peer) => {
        settled();
        member = peer.member;
        this.#register(peer, inbound);
      },
      differs: ({ member, pin }) => {
        const difference = differenceOf(this.#parts.self.pin, pin);
        if (difference !== undefined)
          this.#notify(() => listener.failed(member, pinError(member, difference)));
      },
      received: ({ member, incarnation }, messages) => {
        deliver(messages, { member, incarnation }, this.#receiver.epoch, messageListener);
      },
      published: ({ member, incarnation }, publication) =>
        this.#notify(() => listener.published({ member, incarnation }, publication)),
      dropped: (what) => this.#drop(what),
      over: () => {
        settled();
        this.#inbound.delete(inbound);
        if (member !== undefined) this.#unregister(member, inbound);
      },
    });
    this.#inbound.add(inbound);
  }

  #speaksFor(socket: Socket, member: string): boolean {
    const speaks = speaksFor(this.#secrets.tls, socket, member);
    if (speaks instanceof Error) this.#troubles.raise('speaksFor', speaksForFailed(speaks));
    else this.#troubles.mend('speaksFor');
    return speaks === true;
  }

  #refuses(member: string): Drop | undefined {
    const isNew = !this.#inboundOf.has(member) && !this.#isExpected(member);
    return isNew && this.#strangers() >= strangersMax ? 'flood' : undefined;
  }

  /**
   * Keeps the latest inbound connection of each member. The registry has already displaced one of
   * an earlier incarnation.
   */
  #register(peer: Introduction, inbound: InboundConnection): void {
    const { member } = peer;
    const before = this.#inboundOf.get(member);
    this.#inboundOf.set(member, inbound);
    this.#registry.joined(peer, inbound);
    if (before?.peer?.incarnation === peer.incarnation) before.reset();
    this.#links.known(member)?.retryNow();
  }

  #unregister(member: string, inbound: InboundConnection): void {
    if (this.#inboundOf.get(member) === inbound) this.#inboundOf.delete(member);
    this.#registry.left(member, inbound);
  }

  #isExpected(member: string): boolean {
    return this.#links.isWanted(member) || this.#receiver.names.has(member);
  }

  #strangers(): number {
    return [...this.#inboundOf.keys()].filter((member) => !this.#isExpected(member)).length;
  }

  #credentials(): Credentials {
    return { tag: this.#tag, self: this.#parts.self, keyring: this.#secrets.keyring };
  }

  #tick(): void {
    const { clock } = this.#parts;
    const { heartbeatMs } = this.#pace;
    const now = clock.now();
    // A stopped process neither sent nor received anything: do not count that time as silence of
    // the peers.
    const lateMs = now - this.#tickDueAt;
    const excusedMs = lateMs > heartbeatMs ? lateMs : 0;
    this.#tickDueAt = after(now, heartbeatMs);
    this.#timer = clock.wake(this.#tickDueAt, () => this.#tick());
    this.#renewSecrets();
    this.#links.tick(now, excusedMs, this.#secrets);
    for (const inbound of this.#inbound) {
      inbound.excuse(excusedMs);
      inbound.tick(now, this.#secrets);
    }
  }

  #renewSecrets(): void {
    const before = this.#secrets.tlsMark;
    const { keys, tls } = this.#secrets.renew();
    this.#troubles.set('keys', keys);
    this.#troubles.set('tls', tls);
    if (this.#secrets.tlsMark !== before) this.#server.renew();
  }

  #listening(at: TcpAddress): void {
    this.#troubles.mend('listen');
    this.#troubles.mend('listening');
    this.#notify(() => this.#parts.listener.listening());
    notifyGuarded(
      'listening',
      () => this.#settings.listening(at),
      (error) => this.#troubles.raise('listening', listeningFailed(error)),
    );
  }

  /**
   * Counts at once, but reports in a microtask, because some drops happen during a call of the
   * transport.
   */
  #drop(what: Drop): void {
    this.dropped[what] += 1;
    queueMicrotask(() => this.#notify(() => this.#parts.listener.dropped(what)));
  }

  #notify(callback: () => void): void {
    if (this.#closed === undefined) callback();
  }
}
