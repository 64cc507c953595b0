// Two members and the frames between them, without a connection.

import { keyringOf } from '@leadership/peer';
import type { Item } from '../../src/protocol.ts';
import { tagOf } from '../../src/transport/frames/frame.ts';
import {
  type Call,
  type Credentials,
  call,
  type Session,
} from '../../src/transport/frames/handshake.ts';
import { type Receiver, writeMessages } from '../../src/transport/frames/messages.ts';
import { type Reception, reception } from '../../src/transport/frames/reception.ts';
import type { NerioKeys } from '../../src/transport/keys.ts';
import type { Introduction } from '../../src/transport/transport.ts';

export const secret = 'a secret of at least sixteen bytes';
export const keys: NerioKeys = { sign: 'k1', accept: { k1: secret } };

export function introductionOf(member: string, changes: Partial<Introduction> = {}): Introduction {
  return {
    member,
    incarnation: `life-of-${member}`,
    pin: { partitions: 3 },
    metadata: { zone: 'eu' },
    ...changes,
  };
}

/** The credentials of a member of group `g`, with those keys. */
export function credentialsOf(
  member: string,
  changes: Partial<Introduction> & { group?: string; keys?: NerioKeys | undefined } = {},
): Credentials {
  const { group = 'g', keys: own, ...introduction } = changes;
  return {
    tag: tagOf(group),
    self: introductionOf(member, introduction),
    keyring: own && keyringOf(own),
  };
}

export const receiver: Receiver = { partitions: 3, epoch: 4, names: new Set(['a', 'b']) };

/** Returns the same nonce every time, for tests that compare bytes. */
function nonceOf(number: number): Buffer {
  return Buffer.alloc(16, number);
}

/** A frame without its length, as the frame cutter returns it. */
export function cut(frame: Buffer): Buffer {
  return frame.subarray(4);
}

/** A caller and the called member, and the state of their handshake. */
export interface Pair {
  readonly call: Call;
  readonly called: Reception;
}

export function pairOf(caller: Credentials, called: Credentials, seed: number = 1): Pair {
  return {
    call: call(caller, called.self.member, nonceOf(seed)),
    called: reception({
      credentials: called,
      nonce: nonceOf(seed + 100),
      receiver: () => receiver,
    }),
  };
}

/** Exchanges hello and welcome; the caller has not authenticated yet. */
export function greeted({ call: { hello, answered }, called }: Pair): Session {
  const received = called.receive(cut(hello));
  if (received.kind !== 'hello')
    throw new Error(`the hello came to nothing: ${JSON.stringify(received)}`);
  const session = answered(cut(received.welcome));
  if (typeof session === 'string' || 'refused' in session)
    throw new Error(`the welcome came to nothing: ${JSON.stringify(session)}`);
  return session;
}

/** A frame with these items, sent in that epoch. */
export function said(
  session: Session,
  items: readonly Item[],
  epoch: number = receiver.epoch,
): Buffer {
  const ends = { from: 'life-of-a', to: session.peer.incarnation };
  return cut(
    session.writer.write(
      'messages',
      (to) =>
        void writeMessages(
          to,
          items.map((item) => ({ epoch, item })),
          ends,
        ),
    ),
  );
}

export function beat(session: Session, number: number): Buffer {
  return cut(session.writer.write('beat', (to) => to.uint(number)));
}
