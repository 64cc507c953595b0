// Members that speak over TCP. Each calls each, and speaks on the connection that it has opened itself: what goes one way has nothing to
// wait for from what goes the other, and whoever is cut off in one direction only is so in the protocol's eyes too.
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { LeadershipError } from '@leadership/core';
import { after, type Instant } from '@leadership/core/backend';
import { tell } from '../../callback.ts';
import type { Epoch } from '../../protocol/electorate.ts';
import { deliver, type Hearing } from '../deliver.ts';
import { type Drops, noDrops } from '../drops.ts';
import { tagOf } from '../frames/frame.ts';
import { type Credentials, nonceBytes } from '../frames/handshake.ts';
import type { Receiver } from '../frames/messages.ts';
import { reception } from '../frames/reception.ts';
import { differenceOf } from '../pin.ts';
import type { Drop, Introduction, Message, OpenTransport, Transport, TransportParts } from '../transport.ts';
import type { TcpAddress } from './address.ts';
import { Conversation } from './conversation.ts';
import { pinError, toldInVain, unjudged } from './errors.ts';
import { Link, type Talk } from './link.ts';
import { Links } from './links.ts';
import { Listener } from './listener.ts';
import { Meetings } from './meetings.ts';
import { callAt, faultInCalling, listenAt, type Pace, paceOf, resolveTcp, type TcpOptions, type TcpSettings } from './options.ts';
import { OwnTroubles } from './own-troubles.ts';
import { Secrets, withSecrets } from './secrets.ts';
import { dial, speaksFor } from './tls.ts';
import { Visit } from './visit.ts';

/**
 * Members speak with each other over TCP: `transport: tcpTransport({ tls, keys })`. Keys and certificates are asked for here and when it is
 * opened: where they cannot be had, it is not, and `ready()` rejects.
 * @throws LeadershipError `invalid-options`; `unauthorized` where `keys` or `tls` throws
 */
export function tcpTransport(options: TcpOptions = {}): OpenTransport {
  const settings = withSecrets(resolveTcp(options));
  const open = (parts: TransportParts): Transport => new TcpTransport(settings, parts);
  return Object.assign(open, {
    fault(member: string, members: readonly string[]): string | undefined {
      const at = listenAt(settings, member);
      if (typeof at === 'string') return at;
      return members.map((name) => (name === member ? undefined : faultInCalling(settings, name))).find((fault) => fault !== undefined);
    },
  });
}

/** So many visitors may be there that are of no epoch that is known here: those who ask whether there is a later one. */
const outsidersMax = 64;
/** How long is waited for what was said last to go out. Milliseconds. */
const closeMs = 1000;

/** Nobody is heard before the epoch is known. */
const nowhere: Receiver = { partitions: 0, epoch: -1, names: new Set() };

class TcpTransport implements Transport {
  readonly dropped: Drops = noDrops();
  readonly #settings: TcpSettings;
  readonly #parts: TransportParts;
  readonly #pace: Pace;
  readonly #tag: Buffer;
  readonly #secrets: Secrets;
  readonly #listener: Listener;
  readonly #meetings: Meetings;
  readonly #links: Links = new Links((member, isKept, over) => this.#linkTo(member, isKept, over));
  readonly #visits = new Set<Visit>();
  readonly #visitors = new Map<string, Visit>();
  readonly #troubles: OwnTroubles;
  #receiver: Receiver = nowhere;
  #timer: Disposable;
  #tickDueAt: Instant;
  #closed: Promise<void> | undefined;

  constructor(settings: TcpSettings, parts: TransportParts) {
    const { self, clock, group, ears } = parts;
    const at = listenAt(settings, self.member);
    if (typeof at === 'string') throw new LeadershipError('invalid-options', at);
    this.#settings = settings;
    this.#parts = parts;
    this.#pace = paceOf(settings, parts.thresholdMs, parts.partitions);
    this.#tag = tagOf(group);
    this.#secrets = new Secrets(settings);
    this.#troubles = new OwnTroubles({
      failed: (member, error) => this.#tell(() => ears.failed(member, error)),
      mended: (member) => this.#tell(() => ears.mended(member)),
    });
    this.#meetings = new Meetings({
      met: (peer) => this.#tell(() => ears.met(peer)),
      parted: (peer) => this.#tell(() => ears.parted(peer)),
    });
    this.#listener = new Listener({
      at,
      tls: () => this.#secrets.tls,
      clock,
      connectMs: this.#pace.connectMs,
      listening: (address) => this.#listening(address),
      failed: (error) => this.#troubles.raise('listen', error),
      called: (socket, settled) => this.#receive(socket, settled),
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
    this.#receiver = { partitions: this.#parts.partitions, epoch: number, names: new Set(members.map(({ member }) => member)) };
  }

  send(to: string, message: Message): void {
    if (this.#closed === undefined && to !== this.#parts.self.member) this.#links.to(to).send(message);
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
    const silent = this.#listener.close();
    for (const visit of this.#visits) visit.reset();
    await Promise.all([spoken, silent]);
  }

  #linkTo(member: string, isKept: boolean, over: (link: Link) => void): Link {
    const { partitions, clock, random, ears } = this.#parts;
    const link: Link = new Link(
      {
        to: member,
        partitions,
        clock,
        random,
        pace: this.#pace,
        converse: (talk) => this.#call(member, talk),
        opened: (peer) => {
          this.#meetings.joined(peer, link);
          this.#tell(() => ears.mended(member));
        },
        closed: () => this.#meetings.left(member, link),
        displaced: (at, by) => this.#tell(() => ears.displaced(at, by)),
        failed: (error) => this.#tell(() => ears.failed(member, error)),
        dropped: (what) => this.#drop(what),
        over: () => over(link),
      },
      isKept,
    );
    return link;
  }

  #call(to: string, talk: Talk): Conversation | LeadershipError {
    const address = callAt(this.#settings, to);
    if (typeof address === 'string') return new LeadershipError('unreachable', `member "${to}" ${address}`);
    const { tls, tlsMark } = this.#secrets;
    const { clock } = this.#parts;
    const credentials = this.#credentials();
    const nonce = randomBytes(nonceBytes);
    return new Conversation({ ...talk, to, dialled: dial(address, tls), tls, tlsMark, credentials, nonce, clock, pace: this.#pace });
  }

  #receive(socket: Socket, settled: () => void): void {
    const { clock, partitions, ears } = this.#parts;
    const hearing: Hearing = {
      heard: (from, message) => this.#tell(() => ears.heard(from, message)),
      strayed: (from, epoch) => this.#tell(() => ears.strayed(from, epoch)),
      dropped: (what) => this.#drop(what),
    };
    let visitor: string | undefined;
    const visit: Visit = new Visit({
      socket,
      reception: reception({ credentials: this.#credentials(), nonce: randomBytes(nonceBytes), receiver: () => this.#receiver }),
      clock,
      pace: this.#pace,
      partitions,
      tlsMark: this.#secrets.tlsMark,
      refuses: (member) => (this.#speaksFor(socket, member) ? this.#refuses(member) : 'forged'),
      proved: (peer) => {
        settled();
        visitor = peer.member;
        this.#takeIn(peer, visit);
      },
      differs: ({ member, pin }) => {
        const difference = differenceOf(this.#parts.self.pin, pin);
        if (difference !== undefined) this.#tell(() => ears.failed(member, pinError(member, difference)));
      },
      heard: ({ member, incarnation }, messages) => {
        deliver(messages, { member, incarnation }, () => this.#receiver.epoch, hearing);
      },
      dropped: (what) => this.#drop(what),
      over: () => {
        settled();
        this.#visits.delete(visit);
        if (visitor !== undefined) this.#leave(visitor, visit);
      },
    });
    this.#visits.add(visit);
  }

  #speaksFor(socket: Socket, member: string): boolean {
    const speaks = speaksFor(this.#secrets.tls, socket, member);
    if (speaks instanceof Error) this.#troubles.raise('speaksFor', unjudged(speaks));
    else this.#troubles.mend('speaksFor');
    return speaks === true;
  }

  #refuses(member: string): Drop | undefined {
    const isNew = !this.#visitors.has(member) && !this.#isExpected(member);
    return isNew && this.#outsiders() >= outsidersMax ? 'flood' : undefined;
  }

  /** A member has one visit: the latest. One of another life was displaced when that life was met. */
  #takeIn(peer: Introduction, visit: Visit): void {
    const { member } = peer;
    const before = this.#visitors.get(member);
    this.#visitors.set(member, visit);
    this.#meetings.joined(peer, visit);
    if (before?.peer?.incarnation === peer.incarnation) before.reset();
    this.#links.known(member)?.knock();
  }

  #leave(member: string, visit: Visit): void {
    if (this.#visitors.get(member) === visit) this.#visitors.delete(member);
    this.#meetings.left(member, visit);
  }

  #isExpected(member: string): boolean {
    return this.#links.isWanted(member) || this.#receiver.names.has(member);
  }

  #outsiders(): number {
    return [...this.#visitors.keys()].filter((member) => !this.#isExpected(member)).length;
  }

  #credentials(): Credentials {
    return { tag: this.#tag, self: this.#parts.self, keyring: this.#secrets.keyring };
  }

  #tick(): void {
    const { clock } = this.#parts;
    const { heartbeatMs } = this.#pace;
    const now = clock.now();
    // A process that stood still has heard nobody, and asked nobody: that is no silence of theirs.
    const lateMs = now - this.#tickDueAt;
    const excusedMs = lateMs > heartbeatMs ? lateMs : 0;
    this.#tickDueAt = after(now, heartbeatMs);
    this.#timer = clock.wake(this.#tickDueAt, () => this.#tick());
    this.#renewSecrets();
    this.#links.tick(now, excusedMs, this.#secrets);
    for (const visit of this.#visits) {
      visit.excuse(excusedMs);
      visit.tick(now, this.#secrets);
    }
  }

  #renewSecrets(): void {
    const before = this.#secrets.tlsMark;
    const { keys, tls } = this.#secrets.renew();
    this.#troubles.set('keys', keys);
    this.#troubles.set('tls', tls);
    if (this.#secrets.tlsMark !== before) this.#listener.renew();
  }

  #listening(at: TcpAddress): void {
    this.#troubles.mend('listen');
    this.#troubles.mend('listening');
    tell(
      'listening',
      () => this.#settings.listening(at),
      (error) => this.#troubles.raise('listening', toldInVain(error)),
    );
  }

  /** Counted at once, and told in a turn of its own: some of it is dropped within a call of ours. */
  #drop(what: Drop): void {
    this.dropped[what] += 1;
    queueMicrotask(() => this.#tell(() => this.#parts.ears.dropped(what)));
  }

  #tell(news: () => void): void {
    if (this.#closed === undefined) news();
  }
}
