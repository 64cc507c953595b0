// A connection that somebody else has opened: we learn who it is, and hear it from then on. All that we say are echoes, and in the end
// which other process has come under the caller's name.

import type { Socket } from 'node:net';
import { after, type Clock, type Instant } from '@leadership/core/backend';
import { frameBytesMax, greetingBytesMax } from '../codec/limits.ts';
import { writeNamesake } from '../codec/namesake-form.ts';
import { refusalOf } from '../frames/frame.ts';
import type { Messages } from '../frames/messages.ts';
import type { Received, Reception } from '../frames/reception.ts';
import type { Drop, Introduction, Namesake } from '../transport.ts';
import { Allowance } from './allowance.ts';
import type { Pace } from './options.ts';
import type { InForce } from './secrets.ts';
import { Wire } from './wire.ts';

/** What a visit is made of, and whom it tells. */
export interface VisitParts {
  readonly socket: Socket;
  readonly reception: Reception;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly partitions: number;
  /** Stands for the certificates that it was taken in with. */
  readonly tlsMark: string | undefined;
  /** Why whoever says that it is that member is not taken in; `undefined` where it is. */
  readonly refuses: (member: string) => Drop | undefined;
  /** It is certain now who has called. */
  readonly proved: (peer: Introduction) => void;
  /** It is certain who has called, and it is configured otherwise. */
  readonly differs: (peer: Introduction) => void;
  readonly heard: (peer: Introduction, messages: Messages) => void;
  readonly dropped: (what: Drop) => void;
  /** It is over, once. */
  readonly over: () => void;
}

/** So many bytes count as one message more: long ones take as much longer to read. */
const bytesPerMessage = 256;
/** What a peer may send at once of what it may send in a second. Milliseconds. */
const burstMs = 250;

/** One connection from one member, or from somebody who is none. */
export class Visit {
  readonly #parts: VisitParts;
  readonly #wire: Wire;
  readonly #allowance: Allowance;
  #began: Instant;
  #heardAt: Instant;
  #peer: Introduction | undefined;
  #held: Disposable | undefined;

  constructor(parts: VisitParts) {
    const { clock, pace, socket } = parts;
    this.#parts = parts;
    this.#began = clock.now();
    this.#heardAt = this.#began;
    this.#allowance = new Allowance(pace.messagesPerSecondMax, burstMs, this.#began);
    this.#wire = new Wire(socket.setNoDelay(true), greetingBytesMax, {
      frame: (frame) => this.#take(frame),
      oversized: () => this.turnOut('oversized'),
      drained: () => undefined,
      over: () => {
        this.#held?.[Symbol.dispose]();
        parts.over();
      },
    });
  }

  /** Who has called; `undefined` until it has proved that. */
  get peer(): Introduction | undefined {
    return this.#peer;
  }

  get address(): string {
    return this.#parts.socket.remoteAddress ?? '';
  }

  /** So much of the time that has passed is held against nobody. Milliseconds. */
  excuse(ms: number): void {
    this.#began = after(this.#began, ms);
    this.#heardAt = after(this.#heardAt, ms);
  }

  /** Judges silence. Keys and certificates have to be in force still. */
  tick(now: Instant, inForce: InForce): void {
    const { pace, reception, tlsMark } = this.#parts;
    if (inForce.tlsMark !== tlsMark) return this.reset();
    if (this.#peer === undefined) {
      if (now >= after(this.#began, pace.connectMs)) this.turnOut('flood');
      return;
    }
    if (reception.session?.isInForce(inForce.keyring) === false) return this.turnOut('forged');
    if (this.#held === undefined && now >= after(this.#heardAt, pace.silenceMs)) this.reset();
  }

  /** Counts why, says why to whom it may concern, and ends it. */
  turnOut(why: Drop): void {
    this.#parts.dropped(why);
    const refusal = this.#peer === undefined ? refusalOf(why) : undefined;
    if (refusal !== undefined) this.#wire.write(refusal);
    this.#wire.turnOut();
  }

  /** Notifies the caller that another process has come under its name, and ends the connection once that has gone out. */
  displace(by: Namesake): void {
    const { session } = this.#parts.reception;
    if (session !== undefined) this.#wire.write(session.writer.write('displaced', (to) => writeNamesake(to, by)));
    this.#wire.turnOut();
  }

  /** Ends it at once. */
  reset(): void {
    this.#wire.cut();
  }

  #take(frame: Buffer): void {
    const { reception, clock, refuses } = this.#parts;
    const received = reception.receive(frame);
    // Told at the hello, so that the caller learns why; certain only once it has proved to be no recording.
    const refused = this.#peer === undefined && reception.session ? refuses(reception.session.peer.member) : undefined;
    if (refused !== undefined) return this.turnOut(refused);
    if (this.#peer === undefined && reception.peer !== undefined && received.kind !== 'drop') this.#prove(reception.peer);
    this.#heardAt = clock.now();
    this.#act(received, Math.floor(frame.length / bytesPerMessage));
  }

  #act(received: Received, extra: number): void {
    switch (received.kind) {
      case 'drop':
        if (received.why === 'pin-differs' && this.#parts.reception.peer) this.#parts.differs(this.#parts.reception.peer);
        return this.turnOut(received.why);
      case 'hello':
        return this.#wire.write(received.welcome);
      case 'beat':
        this.#echo(received.beat);
        return this.#charge(1 + extra);
      case 'messages':
        if (this.#peer !== undefined) this.#parts.heard(this.#peer, received.messages);
        return this.#charge(received.messages.items.length + extra);
    }
  }

  #prove(peer: Introduction): void {
    const { proved, partitions } = this.#parts;
    this.#peer = peer;
    this.#wire.allow(frameBytesMax(partitions));
    proved(peer);
  }

  /** A peer that does not read what it has asked for is not told it. */
  #echo(beat: number): void {
    const { session } = this.#parts.reception;
    if (session !== undefined && !this.#wire.isFull) this.#wire.write(session.writer.write('echo', (to) => to.uint(beat)));
  }

  /** Whoever says more than it may is heard later: what it sends meanwhile piles up on its side. */
  #charge(count: number): void {
    const { clock, dropped } = this.#parts;
    const now = clock.now();
    const waitMs = this.#allowance.take(count, now);
    if (waitMs === 0) return;
    dropped('flood');
    this.#wire.hold();
    this.#held = clock.wake(after(now, waitMs), () => {
      this.#held = undefined;
      this.#heardAt = clock.now();
      this.#wire.goOn();
    });
  }
}
