// What becomes of the frames of a connection that somebody else has opened. No socket is involved: bytes in, and what to do about them out.
import { wholeMax } from '../codec/limits.ts';
import { differenceOf } from '../pin.ts';
import type { Drop, Introduction } from '../transport.ts';
import type { OpenFrame } from './frame.ts';
import { answer, type Credentials, type Session } from './handshake.ts';
import { type Messages, type Receiver, readMessages } from './messages.ts';

/** What to do about a frame. */
export type Received =
  /** Nothing, but count it; and believe nothing more of what comes on this connection. */
  | { readonly kind: 'drop'; readonly why: Drop }
  /** Someone introduces itself: this is the answer. It may be a recording still. */
  | { readonly kind: 'hello'; readonly welcome: Buffer }
  /** It is there, and asks to be told that we are. */
  | { readonly kind: 'beat'; readonly beat: number }
  | { readonly kind: 'messages'; readonly messages: Messages };

/** The frames of one connection. */
export interface Reception {
  /** Who has opened it; `undefined` until it is certain that it has, now. */
  readonly peer: Introduction | undefined;
  /** Once there is one. */
  readonly session: Session | undefined;
  receive(frame: Buffer): Received;
}

/** What a reception needs to know. */
export interface ReceptionParts {
  readonly credentials: Credentials;
  /** Never used before. */
  readonly nonce: Buffer;
  readonly receiver: () => Receiver;
}

/** A connection on which nothing was said yet. */
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

function understand({ kind, content }: OpenFrame, ends: Parameters<typeof readMessages>[1], receiver: Receiver): Received {
  if (kind === 'beat') {
    const beat = content.uint(wholeMax);
    return content.isDone ? { kind, beat } : drop('malformed');
  }
  const messages = kind === 'messages' ? readMessages(content, ends, receiver) : undefined;
  return messages === undefined ? drop('malformed') : { kind: 'messages', messages };
}

function drop(why: Drop): Received {
  return { kind: 'drop', why };
}
