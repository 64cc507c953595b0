// The handshake of two members on a new connection. It rules out replays:
//
// | from | frame | content | signed |
// | --- | --- | --- | --- |
// | client | hello | its introduction, the server's name, a nonce | with a key of the group |
// | server | welcome | its introduction, a nonce | together with the hello |
// | client | beat | the first numbered frame | by a client with the key and this nonce only |
//
// Without keys nothing is signed, and every client is accepted unless TLS authenticates it.
import {
  type ByteReader,
  ByteWriter,
  type Keyring,
  keyIdBytesMax,
  type Seal,
  signatureBytes,
} from '@leadership/peer';
import { introductionForm } from '../codec/introduction-form.ts';
import { nameBytesMax } from '../codec/limits.ts';
import type { Drop, Introduction } from '../transport.ts';
import {
  beginFrame,
  endFrame,
  type FrameKind,
  lengthBytes,
  openFrame,
  readRefusal,
} from './frame.ts';
import {
  isSigned,
  type SequencedReader,
  type SequencedWriter,
  sequencedReader,
  sequencedWriter,
} from './sequenced.ts';

/** A member's own introduction and keys. */
export interface Credentials {
  readonly tag: Buffer;
  readonly self: Introduction;
  readonly keyring: Keyring | undefined;
}

/** A connection with authenticated ends. */
export interface Session {
  readonly peer: Introduction;
  /**
   * Whether the keys of both ends are still accepted: not once a key was removed, or its id stands
   * for another secret.
   */
  isInForce(keyring: Keyring | undefined): boolean;
  readonly writer: SequencedWriter;
  readonly reader: SequencedReader;
}

/** A connection attempt. */
export interface Call {
  readonly hello: Buffer;
  /** Reads the server's answer, a frame without its length. */
  answered(frame: Buffer): Session | Refusal | Drop;
}

/** The reason for which the server refused. */
interface Refusal {
  readonly refused: Drop;
}

/** The server's answer. */
export interface Answer {
  readonly welcome: Buffer;
  readonly session: Session;
}

export const nonceBytes = 16;

/** Begins the handshake with the member of that name. */
export function call(credentials: Credentials, to: string, nonce: Buffer): Call {
  const hello = greeting(credentials, 'hello', [], (writer) => {
    writer.text(to);
    introductionForm.write(writer, credentials.self, undefined);
    writer.raw(nonce);
  });
  return { hello, answered: (frame) => readAnswer(credentials, to, hello, frame) };
}

/** Answers a client's hello. `frame` is without its length. */
export function answer(credentials: Credentials, frame: Buffer, nonce: Buffer): Answer | Drop {
  const read = readGreeting(credentials, 'hello', [], frame, (from) => {
    const to = from.text(nameBytesMax);
    const peer = introductionForm.read(from, undefined);
    from.raw(nonceBytes);
    return { to, peer };
  });
  if (typeof read === 'string') return read;
  const { to, peer } = read.content;
  if (to !== credentials.self.member || peer.member === to) return 'misdirected';
  const welcome = greeting(credentials, 'welcome', [frame], (writer) => {
    introductionForm.write(writer, credentials.self, undefined);
    writer.raw(nonce);
  });
  const said = [frame, welcome.subarray(lengthBytes)];
  const session = sessionOf(credentials, peer, read.key, {
    in: ['call', ...said],
    out: ['answer', ...said],
  });
  return { welcome, session };
}

function readAnswer(
  credentials: Credentials,
  to: string,
  hello: Buffer,
  frame: Buffer,
): Session | Refusal | Drop {
  const refused = readRefusal(frame);
  if (refused !== undefined) return { refused };
  const said = [hello.subarray(lengthBytes), frame];
  const read = readGreeting(credentials, 'welcome', said.slice(0, 1), frame, (from) => {
    const peer = introductionForm.read(from, undefined);
    from.raw(nonceBytes);
    return peer;
  });
  if (typeof read === 'string') return read;
  if (read.content.member !== to) return 'misdirected';
  return sessionOf(credentials, read.content, read.key, {
    in: ['answer', ...said],
    out: ['call', ...said],
  });
}

/**
 * The input from which the signing key of one direction is derived: the direction, and both
 * greetings.
 */
type Purpose = readonly [purpose: string, ...said: readonly Buffer[]];

function sessionOf(
  { tag, keyring }: Credentials,
  peer: Introduction,
  key: PeerKey | undefined,
  ways: { readonly in: Purpose; readonly out: Purpose },
): Session {
  const own = keyring && { id: keyring.signingId, seal: keyring.signing };
  const signedWith = [key, own].filter((one) => one !== undefined);
  return {
    peer,
    isInForce: (latest) =>
      signedWith.every(({ id, seal }) => latest?.accepted(id)?.isSame(seal) === true),
    writer: sequencedWriter({ tag, seal: keyring?.signing.derive(...ways.out) }),
    reader: sequencedReader({ tag, seal: key?.seal.derive(...ways.in) }),
  };
}

interface PeerKey {
  readonly id: string;
  readonly seal: Seal;
}

/**
 * Writes a greeting: the key's id, the content, and a signature over both and over the frames in
 * `before`.
 */
function greeting(
  { tag, keyring }: Credentials,
  kind: FrameKind,
  before: readonly Buffer[],
  fill: (to: ByteWriter) => void,
): Buffer {
  const writer = new ByteWriter();
  beginFrame(writer, tag, kind);
  writer.text(keyring?.signingId ?? '');
  fill(writer);
  return endFrame(writer, keyring && ((signed) => keyring.signing.sign(...before, signed)));
}

interface Greeting<T> {
  readonly content: T;
  readonly key: PeerKey | undefined;
}

function readGreeting<T>(
  { tag, keyring }: Credentials,
  kind: FrameKind,
  before: readonly Buffer[],
  frame: Buffer,
  read: (from: ByteReader) => T,
): Greeting<T> | Drop {
  const open = openFrame(frame, tag);
  if (typeof open === 'string') return open;
  const from = open.content;
  const key = peerKey(keyring, from.text(keyIdBytesMax, 0));
  if (open.kind !== kind || !from.isSound) return 'malformed';
  if (key === 'forged') return key;
  if (key !== undefined && !isSigned(frame, key.seal, before)) return 'forged';
  if (key !== undefined) from.dropLast(signatureBytes);
  const content = read(from);
  return from.isDone ? { content, key } : 'malformed';
}

/**
 * Returns the key with which a greeting is signed; `forged` if the id is missing, unexpected or not
 * accepted.
 */
function peerKey(keyring: Keyring | undefined, id: string): PeerKey | undefined | 'forged' {
  if (keyring === undefined) return id === '' ? undefined : 'forged';
  const seal = keyring.accepted(id);
  return seal === undefined ? 'forged' : { id, seal };
}
