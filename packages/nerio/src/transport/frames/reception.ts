// Handles the bytes of an inbound connection, without a socket: it takes bytes and returns what to
// do.
import { readWhole, wholeMax } from '@leadership/peer';
import { publicationForm } from '../codec/publication-form.ts';
import { differenceOf } from '../pin.ts';
import type { Drop, Introduction, Published } from '../transport.ts';
import type { OpenFrame } from './frame.ts';
import { answer, type Credentials, type Session } from './handshake.ts';
import { type Messages, type Receiver, readMessages } from './messages.ts';

/** The reaction to a frame. */
export type Received =
  /** Count it, and accept nothing more on this connection. */
  | { readonly kind: 'drop'; readonly why: Drop }
  /** Send this answer to a hello. The hello may still be a replay. */
  | { readonly kind: 'hello'; readonly welcome: Buffer }
  /** Send an echo of this beat. */
  | { readonly kind: 'beat'; readonly beat: number }
  | { readonly kind: 'messages'; readonly messages: Messages }
  | { readonly kind: 'published'; readonly publication: Published };

/** The receiving side of one connection. */
export interface Reception {
  /** The client; `undefined` until it is authenticated and a replay is ruled out. */
  readonly peer: Introduction | undefined;
  /** Set after the hello. */
  readonly session: Session | undefined;
  receive(frame: Buffer): Received;
}

/** The parts of a reception. */
export interface ReceptionParts {
  readonly credentials: Credentials;
  /** Random, and never used before. */
  readonly nonce: Buffer;
  readonly receiver: () => Receiver;
}

/** The receiving side of a new connection. */
export function reception({ credentials, nonce, receiver }: ReceptionParts): Reception {
  const { self } = credentials;
  let session: Session | undefined;
  let peer: Introduction | undefined;
  const greet = (frame: Buffer): Received => {
    const answered = answer(credentials, frame, nonce);
    if (typeof answered === 'string') return drop(answered);
    session = answered.session;
    return { kind: 'hello', welcome: answered.welcome };
  };
  const listen = (said: OpenFrame, { peer: speaker }: Session): Received => {
    peer = speaker;
    if (differenceOf(self.pin, speaker.pin) !== undefined) return drop('pin-differs');
    return understand(said, { from: speaker.incarnation, to: self.incarnation }, receiver());
  };
  return {
    get peer() {
      return peer;
    },
    get session() {
      return session;
    },
    receive(frame) {
      if (session === undefined) return greet(frame);
      const said = session.reader.read(frame);
      return typeof said === 'string' ? drop(said) : listen(said, session);
    },
  };
}

function understand(
  { kind, content }: OpenFrame,
  ends: Parameters<typeof readMessages>[1],
  receiver: Receiver,
): Received {
  if (kind === 'beat') {
    const beat = content.uint(wholeMax);
    return content.isDone ? { kind, beat } : drop('malformed');
  }
  if (kind === 'published') {
    const publication = readWhole(publicationForm, content);
    return publication === undefined ? drop('malformed') : { kind, publication };
  }
  const messages = kind === 'messages' ? readMessages(content, ends, receiver) : undefined;
  return messages === undefined ? drop('malformed') : { kind: 'messages', messages };
}

function drop(why: Drop): Received {
  return { kind: 'drop', why };
}
