// A connection that we have opened: calls, learns who answers, and speaks from then on. What comes back are echoes, and in the end which
// other process has this member's name.
import { LeadershipError } from '@leadership/core';
import { after, type Clock, type Instant } from '@leadership/core/backend';
import type { Sender } from '../../protocol/message.ts';
import type { ByteReader } from '../codec/byte-reader.ts';
import { greetingBytesMax, wholeMax } from '../codec/limits.ts';
import { readNamesake } from '../codec/namesake-form.ts';
import { type Call, type Credentials, call, type Session } from '../frames/handshake.ts';
import { writeMessages } from '../frames/messages.ts';
import { differenceOf } from '../pin.ts';
import type { Drop, Introduction, Namesake } from '../transport.ts';
import type { Backlog } from './backlog.ts';
import { answerError, displacedError, pinError, refusalError, socketError } from './errors.ts';
import type { Pace } from './options.ts';
import type { InForce } from './secrets.ts';
import { type Dialled, type NerioTls, speaksFor } from './tls.ts';
import { Wire } from './wire.ts';

/** What a conversation is made of, and whom it tells. */
export interface ConversationParts {
  readonly to: string;
  readonly dialled: Dialled;
  readonly tls: NerioTls | undefined;
  /** Stands for those certificates. */
  readonly tlsMark: string | undefined;
  readonly credentials: Credentials;
  /** Never used before. */
  readonly nonce: Buffer;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly backlog: Backlog;
  /** Whoever is called is there, and has answered. */
  readonly opened: (peer: Introduction) => void;
  /** Whoever was called has met another process of this member's name. */
  readonly displaced: (at: Sender, by: Namesake) => void;
  readonly dropped: (what: Drop) => void;
  /** It is over, once, and why. */
  readonly over: (why: LeadershipError) => void;
}

/** One connection to one member. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #wire: Wire;
  #began: Instant;
  #call: Call | undefined;
  #session: Session | undefined;
  #beat = 0;
  #beatAt: Instant;
  #heardAt: Instant;
  #why: LeadershipError | undefined;

  constructor(parts: ConversationParts) {
    const { dialled, clock } = parts;
    this.#parts = parts;
    this.#began = clock.now();
    this.#beatAt = this.#began;
    this.#heardAt = this.#began;
    this.#wire = new Wire(dialled.socket, greetingBytesMax, {
      frame: (frame) => this.#hear(frame),
      oversized: () => this.#drop('oversized'),
      drained: () => this.flush(),
      over: (error) => parts.over(this.#why ?? this.#ended(error)),
    });
    dialled.socket.once(dialled.readyEvent, () => this.#greet());
  }

  get isOpen(): boolean {
    return this.#session !== undefined && this.#why === undefined;
  }

  /** Where the other end listens. */
  get address(): string {
    const { remoteAddress, remotePort } = this.#parts.dialled.socket;
    return remoteAddress === undefined ? '' : `${remoteAddress}:${remotePort}`;
  }

  /** Sends what waits, for as long as the peer takes it. */
  flush(): void {
    const { backlog, credentials } = this.#parts;
    while (this.isOpen && !this.#wire.isFull && !backlog.isEmpty) {
      const messages = backlog.messages();
      let count = 0;
      const ends = { from: credentials.self.incarnation, to: this.#session?.peer.incarnation ?? '' };
      this.#say('messages', (to) => {
        count = writeMessages(to, messages, ends);
      });
      backlog.sent(count);
    }
  }

  /** So much of the time that has passed is held against nobody. Milliseconds. */
  excuse(ms: number): void {
    this.#began = after(this.#began, ms);
    this.#heardAt = after(this.#heardAt, ms);
  }

  /** Judges silence, and asks for a sign of life. Keys and certificates have to be in force still. */
  tick(now: Instant, inForce: InForce): void {
    const { pace, to, tlsMark } = this.#parts;
    const session = this.#session;
    if (this.#why !== undefined) return;
    if (inForce.tlsMark !== tlsMark) return this.#giveWay();
    if (session === undefined) {
      if (now >= after(this.#began, pace.connectMs)) this.#end('unreachable', `has not answered within ${pace.connectMs} ms`);
      return;
    }
    if (!session.isInForce(inForce.keyring)) return this.#fail(answerError(to, 'forged'));
    if (now >= after(this.#heardAt, pace.silenceMs)) return this.#end('unreachable', `has been silent for ${pace.silenceMs} ms`);
    if (now >= after(this.#beatAt, pace.heartbeatMs)) this.#sendBeat(now);
  }

  /** Ends it once what was said has gone out. */
  finish(): void {
    this.#why ??= new LeadershipError('closed', `the connection to "${this.#parts.to}" is closed`);
    this.#wire.finish();
  }

  /** Ends it at once. */
  cut(): void {
    this.#why ??= new LeadershipError('closed', `the connection to "${this.#parts.to}" is closed`);
    this.#wire.cut();
  }

  /** To one with other certificates. What was written goes out on this one. */
  #giveWay(): void {
    this.#why ??= new LeadershipError('closed', `the connection to "${this.#parts.to}" is made anew, with other certificates`);
    this.#wire.turnOut();
  }

  #greet(): void {
    const { dialled, tls, credentials, to, nonce } = this.#parts;
    const speaks = speaksFor(tls, dialled.socket, to);
    if (speaks instanceof Error) return this.#end('unauthorized', `has a certificate that is not judged, as ${speaks.message}`);
    if (!speaks) return this.#end('unauthorized', 'has a certificate that does not speak for it');
    this.#call = call(credentials, to, nonce);
    this.#wire.write(this.#call.hello);
  }

  #hear(frame: Buffer): void {
    if (this.#session !== undefined) return this.#hearEcho(frame, this.#session);
    const answered = this.#call?.answered(frame) ?? 'malformed';
    if (typeof answered === 'string') return this.#drop(answered);
    if ('refused' in answered) return this.#fail(refusalError(this.#parts.to, answered.refused));
    this.#open(answered);
  }

  /** The first beat proves that this is no recording: also to a peer that is configured otherwise, which is to know of it. */
  #open(session: Session): void {
    const { clock, credentials, opened, to } = this.#parts;
    this.#session = session;
    this.#heardAt = clock.now();
    this.#sendBeat(this.#heardAt);
    const difference = differenceOf(credentials.self.pin, session.peer.pin);
    if (difference !== undefined) {
      this.#why = pinError(to, difference);
      return this.#wire.turnOut();
    }
    opened(session.peer);
    this.flush();
  }

  #hearEcho(frame: Buffer, { reader, peer }: Session): void {
    const said = reader.read(frame);
    if (typeof said === 'string') return this.#drop(said);
    if (said.kind === 'displaced') return this.#hearDisplaced(said.content, peer);
    const beat = said.content.uint(wholeMax);
    if (said.kind !== 'echo' || !said.content.isDone || beat > this.#beat) return this.#drop('malformed');
    this.#heardAt = this.#parts.clock.now();
  }

  #hearDisplaced(content: ByteReader, { member, incarnation }: Introduction): void {
    const by = readNamesake(content);
    if (by === undefined) return this.#drop('malformed');
    this.#fail(displacedError(member, by));
    this.#parts.displaced({ member, incarnation }, by);
  }

  #sendBeat(now: Instant): void {
    this.#beatAt = now;
    if (this.#wire.isFull) return;
    this.#beat += 1;
    this.#say('beat', (to) => to.uint(this.#beat));
  }

  #say(...frame: Parameters<Session['writer']['write']>): void {
    if (this.#session !== undefined) this.#wire.write(this.#session.writer.write(...frame));
  }

  #drop(why: Drop): void {
    this.#parts.dropped(why);
    this.#fail(answerError(this.#parts.to, why));
  }

  #end(code: 'unreachable' | 'unauthorized', sentence: string): void {
    this.#fail(new LeadershipError(code, `member "${this.#parts.to}" ${sentence}`));
  }

  #fail(why: LeadershipError): void {
    this.#why ??= why;
    this.#wire.cut();
  }

  #ended(error: Error | undefined): LeadershipError {
    const { to } = this.#parts;
    if (error !== undefined) return socketError(to, error);
    return new LeadershipError('unreachable', `member "${to}" has ended the connection`);
  }
}
