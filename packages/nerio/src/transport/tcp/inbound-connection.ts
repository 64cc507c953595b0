// A connection that another process opened: this member authenticates it, then receives its
// messages. It sends only echoes, and at the end a notification if another process has connected
// under the peer's name.

import type { Socket } from 'node:net';
import type { Clock, Instant, Publication } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import { RateLimit } from '@leadership/peer';
import { displacerForm } from '../codec/displacer-form.ts';
import { frameBytesMax, greetingBytesMax } from '../codec/limits.ts';
import { refusalOf } from '../frames/frame.ts';
import type { Messages } from '../frames/messages.ts';
import type { Received, Reception } from '../frames/reception.ts';
import type { Displacer, Drop, Introduction } from '../transport.ts';
import type { Pace } from './options.ts';
import type { InForce } from './secrets.ts';
import { Wire } from './wire.ts';

/** The parts of a connection, and its callbacks. */
export interface InboundConnectionParts {
  readonly socket: Socket;
  readonly reception: Reception;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly partitions: number;
  /** A hash of the certificates with which it was accepted. */
  readonly tlsMark: string | undefined;
  /** Returns why a peer with that name is refused; `undefined` if it is accepted. */
  readonly refuses: (member: string) => Drop | undefined;
  /** The peer is authenticated. */
  readonly proved: (peer: Introduction) => void;
  /** The peer is authenticated and has another configuration. */
  readonly differs: (peer: Introduction) => void;
  readonly received: (peer: Introduction, messages: Messages) => void;
  readonly published: (peer: Introduction, publication: Publication) => void;
  readonly dropped: (what: Drop) => void;
  /** The connection has ended. Called once. */
  readonly over: () => void;
}

/**
 * Each of these many bytes counts as one message more, because long messages take longer to read.
 */
const bytesPerMessage = 256;
/** A peer may send the messages of this time at once. Milliseconds. */
const burstMs = 250;

/** One inbound connection, from a member or from a stranger. */
export class InboundConnection {
  readonly #parts: InboundConnectionParts;
  readonly #wire: Wire;
  readonly #limit: RateLimit;
  #began: Instant;
  #lastReceivedAt: Instant;
  #peer: Introduction | undefined;
  #pause: Disposable | undefined;

  constructor(parts: InboundConnectionParts) {
    const { clock, pace, socket } = parts;
    this.#parts = parts;
    this.#began = clock.now();
    this.#lastReceivedAt = this.#began;
    this.#limit = new RateLimit(pace.messagesPerSecondMax, burstMs, this.#began);
    this.#wire = new Wire(socket.setNoDelay(true), greetingBytesMax, {
      frame: (frame) => this.#receive(frame),
      oversized: () => this.refuse('oversized'),
      drained: () => undefined,
      over: () => {
        this.#pause?.[Symbol.dispose]();
        parts.over();
      },
    });
  }

  /** The peer; `undefined` until it is authenticated. */
  get peer(): Introduction | undefined {
    return this.#peer;
  }

  get address(): string {
    return this.#parts.socket.remoteAddress ?? '';
  }

  /** Extends the deadlines by a time in which this process itself was stopped. Milliseconds. */
  excuse(ms: number): void {
    this.#began = after(this.#began, ms);
    this.#lastReceivedAt = after(this.#lastReceivedAt, ms);
  }

  /** Ends a silent connection, or one whose keys or certificates are no longer valid. */
  tick(now: Instant, inForce: InForce): void {
    const { pace, reception, tlsMark } = this.#parts;
    if (inForce.tlsMark !== tlsMark) return this.reset();
    if (this.#peer === undefined) {
      if (now >= after(this.#began, pace.connectMs)) this.refuse('flood');
      return;
    }
    if (reception.session?.isInForce(inForce.keyring) === false) return this.refuse('forged');
    if (this.#pause === undefined && now >= after(this.#lastReceivedAt, pace.silenceMs))
      this.reset();
  }

  /** Counts the reason, sends it to an unauthenticated peer, and ends the connection. */
  refuse(why: Drop): void {
    this.#parts.dropped(why);
    const refusal = this.#peer === undefined ? refusalOf(why) : undefined;
    if (refusal !== undefined) this.#wire.write(refusal);
    this.#wire.closeAfterFlush();
  }

  /**
   * Notifies the peer that another process has connected under its name, and ends the connection
   * after that was sent.
   */
  displace(by: Displacer): void {
    const { session } = this.#parts.reception;
    if (session !== undefined)
      this.#wire.write(
        session.writer.write('displaced', (to) => displacerForm.write(to, by, undefined)),
      );
    this.#wire.closeAfterFlush();
  }

  /** Ends the connection at once. */
  reset(): void {
    this.#wire.cut();
  }

  #receive(frame: Buffer): void {
    const { reception, clock, refuses } = this.#parts;
    const received = reception.receive(frame);
    // Refuse at the hello, so that the peer learns the reason. It is authenticated only by the next
    // frame, which rules out a replay.
    const refused =
      this.#peer === undefined && reception.session
        ? refuses(reception.session.peer.member)
        : undefined;
    if (refused !== undefined) return this.refuse(refused);
    if (this.#peer === undefined && reception.peer !== undefined && received.kind !== 'drop')
      this.#prove(reception.peer);
    this.#lastReceivedAt = clock.now();
    this.#act(received, Math.floor(frame.length / bytesPerMessage));
  }

  #act(received: Received, extra: number): void {
    switch (received.kind) {
      case 'drop':
        if (received.why === 'pin-differs' && this.#parts.reception.peer)
          this.#parts.differs(this.#parts.reception.peer);
        return this.refuse(received.why);
      case 'hello':
        return this.#wire.write(received.welcome);
      case 'beat':
        this.#echo(received.beat);
        return this.#charge(1 + extra);
      case 'published':
        if (this.#peer !== undefined) this.#parts.published(this.#peer, received.publication);
        return this.#charge(1 + extra);
      case 'messages':
        if (this.#peer !== undefined) this.#parts.received(this.#peer, received.messages);
        return this.#charge(received.messages.items.length + extra);
    }
  }

  #prove(peer: Introduction): void {
    const { proved, partitions } = this.#parts;
    this.#peer = peer;
    this.#wire.allow(frameBytesMax(partitions));
    proved(peer);
  }

  /** Sends no echo to a peer that does not read. */
  #echo(beat: number): void {
    const { session } = this.#parts.reception;
    if (session !== undefined && !this.#wire.isFull)
      this.#wire.write(session.writer.write('echo', (to) => to.uint(beat)));
  }

  /** Pauses reading from a peer that exceeds its rate, so that its messages wait on its side. */
  #charge(count: number): void {
    const { clock, dropped } = this.#parts;
    const now = clock.now();
    const waitMs = this.#limit.take(count, now);
    if (waitMs === 0) return;
    dropped('flood');
    this.#wire.pause();
    this.#pause = clock.wake(after(now, waitMs), () => {
      this.#pause = undefined;
      this.#lastReceivedAt = clock.now();
      this.#wire.resume();
    });
  }
}
