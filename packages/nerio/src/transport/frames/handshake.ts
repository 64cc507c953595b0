// How two members get to know each other on a new connection, and that neither is a recording:
//
//   caller   hello    who I am · whom I call · my nonce        signed by a key of the group
//   called   welcome  who I am · my nonce                      signed over the hello too
//   caller   beat     the first numbered frame: only who has the key, and was told this nonce, can sign it
//
// Without keys nothing is signed, and whoever reaches the port is believed; TLS may see to that instead.
import type { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { readIntroduction, writeIntroduction } from '../codec/introduction-form.ts';
import { nameBytesMax } from '../codec/limits.ts';
import type { Drop, Introduction } from '../transport.ts';
import { beginFrame, endFrame, type FrameKind, lengthBytes, openFrame, readRefusal } from './frame.ts';
import { type Keyring, keyIdBytesMax } from './keyring.ts';
import { type Seal, signatureBytes } from './seal.ts';
import { isSigned, type SequencedReader, type SequencedWriter, sequencedReader, sequencedWriter } from './sequenced.ts';

/** What a member shows, and what it asks to be shown. */
export interface Credentials {
  readonly tag: Buffer;
  readonly self: Introduction;
  readonly keyring: Keyring | undefined;
}

/** A connection whose ends know each other. */
export interface Session {
  readonly peer: Introduction;
  /** Whether what either end signs with is accepted still: not once its key is gone, or its id stands for another secret. */
  isInForce(keyring: Keyring | undefined): boolean;
  readonly writer: SequencedWriter;
  readonly reader: SequencedReader;
}

/** A call under way. */
export interface Call {
  readonly hello: Buffer;
  /** What comes of the answer, a frame without its length. */
  answered(frame: Buffer): Session | Refusal | Drop;
}

/** The other end says why it does not talk to us. */
interface Refusal {
  readonly refused: Drop;
}

/** The answer to a call. */
export interface Answer {
  readonly welcome: Buffer;
  readonly session: Session;
}

export const nonceBytes = 16;

/** Calls the member of that name. */
export function call(credentials: Credentials, to: string, nonce: Buffer): Call {
  const hello = greeting(credentials, 'hello', [], (writer) => {
    writer.text(to);
    writeIntroduction(writer, credentials.self);
    writer.raw(nonce);
  });
  return { hello, answered: (frame) => readAnswer(credentials, to, hello, frame) };
}

/** Answers whoever calls. `frame` is without its length. */
export function answer(credentials: Credentials, frame: Buffer, nonce: Buffer): Answer | Drop {
  const read = readGreeting(credentials, 'hello', [], frame, (from) => {
    const to = from.text(nameBytesMax);
    const peer = readIntroduction(from);
    from.raw(nonceBytes);
    return { to, peer };
  });
  if (typeof read === 'string') return read;
  const { to, peer } = read.content;
  if (to !== credentials.self.member || peer.member === to) return 'misdirected';
  const welcome = greeting(credentials, 'welcome', [frame], (writer) => {
    writeIntroduction(writer, credentials.self);
    writer.raw(nonce);
  });
  const said = [frame, welcome.subarray(lengthBytes)];
  const session = sessionOf(credentials, peer, read.key, { in: ['call', ...said], out: ['answer', ...said] });
  return { welcome, session };
}

function readAnswer(credentials: Credentials, to: string, hello: Buffer, frame: Buffer): Session | Refusal | Drop {
  const refused = readRefusal(frame);
  if (refused !== undefined) return { refused };
  const said = [hello.subarray(lengthBytes), frame];
  const read = readGreeting(credentials, 'welcome', said.slice(0, 1), frame, (from) => {
    const peer = readIntroduction(from);
    from.raw(nonceBytes);
    return peer;
  });
  if (typeof read === 'string') return read;
  if (read.content.member !== to) return 'misdirected';
  return sessionOf(credentials, read.content, read.key, { in: ['answer', ...said], out: ['call', ...said] });
}

/** What is said each way is signed with a key that depends on all that was said before, and on the way. */
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
    isInForce: (latest) => signedWith.every(({ id, seal }) => latest?.accepted(id)?.isSame(seal) === true),
    writer: sequencedWriter({ tag, seal: keyring?.signing.derive(...ways.out) }),
    reader: sequencedReader({ tag, seal: key?.seal.derive(...ways.in) }),
  };
}

interface PeerKey {
  readonly id: string;
  readonly seal: Seal;
}

/** A greeting: the key's id, whatever it says, and a signature over that and over what was said before. */
function greeting({ tag, keyring }: Credentials, kind: FrameKind, before: readonly Buffer[], fill: (to: ByteWriter) => void): Buffer {
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

/** The key that a greeting is signed with; `forged` where it should be signed otherwise than it says. */
function peerKey(keyring: Keyring | undefined, id: string): PeerKey | undefined | 'forged' {
  if (keyring === undefined) return id === '' ? undefined : 'forged';
  const seal = keyring.accepted(id);
  return seal === undefined ? 'forged' : { id, seal };
}
