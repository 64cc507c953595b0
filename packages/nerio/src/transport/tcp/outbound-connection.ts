// A connection that this member opened: it connects, authenticates the peer, and then sends
// messages. The peer sends only echoes, and at the end a notification if another process has
// connected under this member's name.
import { LeadershipError } from '@leadership/core';
import type { Clock, Instant, Publication } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import { type ByteReader, readWhole, wholeMax } from '@leadership/peer';
import type { Sender } from '../../protocol/message.ts';
import { displacerForm } from '../codec/displacer-form.ts';
import { greetingBytesMax } from '../codec/limits.ts';
import { publicationForm } from '../codec/publication-form.ts';
import { type Call, type Credentials, call, type Session } from '../frames/handshake.ts';
import { writeMessages } from '../frames/messages.ts';
import { differenceOf } from '../pin.ts';
import type { Displacer, Drop, Introduction } from '../transport.ts';
import type { Backlog } from './backlog.ts';
import { answerError, displacedError, pinError, refusalError, socketError } from './errors.ts';
import type { Pace } from './options.ts';
import type { InForce } from './secrets.ts';
import { type Dialled, type NerioTls, speaksFor } from './tls.ts';
import { Wire } from './wire.ts';

/** The parts of a connection, and its callbacks. */
export interface OutboundConnectionParts {
  readonly to: string;
  readonly dialled: Dialled;
  readonly tls: NerioTls | undefined;
  /** A hash of these certificates. */
  readonly tlsMark: string | undefined;
  readonly credentials: Credentials;
  /** Random, and never used before. */
  readonly nonce: Buffer;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly backlog: Backlog;
  /** Returns what this member publishes about itself now. */
  readonly publication: () => Publication | undefined;
  /** The peer has answered and is authenticated. */
  readonly opened: (peer: Introduction) => void;
  /** The peer is connected with another process of this member's name. */
  readonly displaced: (at: Sender, by: Displacer) => void;
  readonly dropped: (what: Drop) => void;
  /** The connection has ended, with the reason. Called once. */
  readonly over: (why: LeadershipError) => void;
}

/** One outbound connection to one member. */
export class OutboundConnection {
  readonly #parts: OutboundConnectionParts;
  readonly #wire: Wire;
  #began: Instant;
  #call: Call | undefined;
  #session: Session | undefined;
  #beat = 0;
  #published: Publication | undefined;
  #beatAt: Instant;
  #lastReceivedAt: Instant;
  #why: LeadershipError | undefined;

  constructor(parts: OutboundConnectionParts) {
    const { dialled, clock } = parts;
    this.#parts = parts;
    this.#began = clock.now();
    this.#beatAt = this.#began;
    this.#lastReceivedAt = this.#began;
    this.#wire = new Wire(dialled.socket, greetingBytesMax, {
      frame: (frame) => this.#receive(frame),
      oversized: () => this.#drop('oversized'),
      drained: () => this.flush(),
      over: (error) => parts.over(this.#why ?? this.#ended(error)),
    });
    dialled.socket.once(dialled.readyEvent, () => this.#greet());
  }

  get isOpen(): boolean {
    return this.#session !== undefined && this.#why === undefined;
  }

  /** The address and port of the other end. */
  get address(): string {
    const { remoteAddress, remotePort } = this.#parts.dialled.socket;
    return remoteAddress === undefined ? '' : `${remoteAddress}:${remotePort}`;
  }

  /** Sends waiting messages until the socket's buffer is full. */
  flush(): void {
    const { backlog, credentials } = this.#parts;
    while (this.isOpen && !this.#wire.isFull && !backlog.isEmpty) {
      const messages = backlog.messages();
      let count = 0;
      const ends = {
        from: credentials.self.incarnation,
        to: this.#session?.peer.incarnation ?? '',
      };
      this.#write('messages', (to) => {
        count = writeMessages(to, messages, ends);
      });
      backlog.sent(count);
    }
  }

  /** Extends the deadlines by a time in which this process itself was stopped. Milliseconds. */
  excuse(ms: number): void {
    this.#began = after(this.#began, ms);
    this.#lastReceivedAt = after(this.#lastReceivedAt, ms);
  }

  /**
   * Ends a silent connection, or one whose keys or certificates are no longer valid; sends a beat
   * when it is due.
   */
  tick(now: Instant, inForce: InForce): void {
    const { pace, to, tlsMark } = this.#parts;
    const session = this.#session;
    if (this.#why !== undefined) return;
    if (inForce.tlsMark !== tlsMark) return this.#reconnect();
    if (session === undefined) {
      if (now >= after(this.#began, pace.connectMs))
        this.#end('unreachable', `has not answered within ${pace.connectMs} ms`);
      return;
    }
    if (!session.isInForce(inForce.keyring)) return this.#fail(answerError(to, 'forged'));
    if (now >= after(this.#lastReceivedAt, pace.silenceMs))
      return this.#end('unreachable', `has been silent for ${pace.silenceMs} ms`);
    if (now >= after(this.#beatAt, pace.heartbeatMs)) this.#sendBeat(now);
  }

  /** Ends the connection after the written frames were sent. */
  finish(): void {
    this.#why ??= new LeadershipError('closed', `the connection to "${this.#parts.to}" is closed`);
    this.#wire.finish();
  }

  /** Ends the connection at once. */
  cut(): void {
    this.#why ??= new LeadershipError('closed', `the connection to "${this.#parts.to}" is closed`);
    this.#wire.cut();
  }

  /**
   * Ends the connection so that the next one uses the new certificates. Frames already written are
   * still sent.
   */
  #reconnect(): void {
    this.#why ??= new LeadershipError(
      'closed',
      `the connection to "${this.#parts.to}" is closed to reconnect with new certificates`,
    );
    this.#wire.closeAfterFlush();
  }

  #greet(): void {
    const { dialled, tls, credentials, to, nonce } = this.#parts;
    const speaks = speaksFor(tls, dialled.socket, to);
    if (speaks instanceof Error)
      return this.#end(
        'unauthorized',
        `has a certificate that could not be checked: ${speaks.message}`,
      );
    if (!speaks)
      return this.#end(
        'unauthorized',
        'has a certificate for another name: its subject alternative name must be the member name without the port, or tls.speaksFor must accept it',
      );
    this.#call = call(credentials, to, nonce);
    this.#wire.write(this.#call.hello);
  }

  #receive(frame: Buffer): void {
    if (this.#session !== undefined) return this.#receiveEcho(frame, this.#session);
    const answered = this.#call?.answered(frame) ?? 'malformed';
    if (typeof answered === 'string') return this.#drop(answered);
    if ('refused' in answered) return this.#fail(refusalError(this.#parts.to, answered.refused));
    this.#open(answered);
  }

  /**
   * The first beat proves that this connection is not a replay. It is also sent to a peer with
   * another configuration, so that the peer learns of it.
   */
  #open(session: Session): void {
    const { clock, credentials, opened, to } = this.#parts;
    this.#session = session;
    this.#lastReceivedAt = clock.now();
    this.#sendBeat(this.#lastReceivedAt);
    const difference = differenceOf(credentials.self.pin, session.peer.pin);
    if (difference !== undefined) {
      this.#why = pinError(to, difference);
      return this.#wire.closeAfterFlush();
    }
    opened(session.peer);
    this.flush();
  }

  #receiveEcho(frame: Buffer, { reader, peer }: Session): void {
    const said = reader.read(frame);
    if (typeof said === 'string') return this.#drop(said);
    if (said.kind === 'displaced') return this.#receiveDisplaced(said.content, peer);
    const beat = said.content.uint(wholeMax);
    if (said.kind !== 'echo' || !said.content.isDone || beat > this.#beat)
      return this.#drop('malformed');
    this.#lastReceivedAt = this.#parts.clock.now();
  }

  #receiveDisplaced(content: ByteReader, { member, incarnation }: Introduction): void {
    const by = readWhole(displacerForm, content);
    if (by === undefined) return this.#drop('malformed');
    this.#fail(displacedError(member, by));
    this.#parts.displaced({ member, incarnation }, by);
  }

  #sendBeat(now: Instant): void {
    this.#beatAt = now;
    if (this.#wire.isFull) return;
    this.#beat += 1;
    this.#write('beat', (to) => to.uint(this.#beat));
    const publication = this.#parts.publication();
    if (publication === undefined || publication === this.#published) return;
    this.#published = publication;
    this.#write('published', (to) => publicationForm.write(to, publication, undefined));
  }

  #write(...frame: Parameters<Session['writer']['write']>): void {
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
