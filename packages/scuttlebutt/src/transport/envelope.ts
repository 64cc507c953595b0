// The envelope of each message between gossip members: who sends it to whom, signed with a key of
// the group. A datagram that is recorded and sent again is a repeated message, which the protocol
// tolerates, as it tolerates any delay. Cookies prevent everything else (`Contacts`).
import {
  ByteReader,
  ByteWriter,
  type Keyring,
  keyIdBytesMax,
  signatureBytes,
} from '@leadership/peer';
import { nameForm } from './codec/values.ts';

/** The bytes of the tag of a group, of a cookie and of its echo. */
export const tagBytes = 8;

/** The contents of a datagram. */
export interface Envelope {
  /** The names of the members. */
  readonly from: string;
  readonly to: string;
  /** The value that the receiver returns in `echo`, to prove that it receives at its address. */
  readonly cookie: Buffer;
  readonly echo: Buffer;
  /** An encoded message; empty if the envelope only carries the cookies. */
  readonly content: Buffer;
}

/**
 * Why a datagram or a stream is dropped. `flood`: its sender sends too many. `unproved`: it is of
 * another configuration, and may be a recorded one. `incomplete`: the stream ended, or was too slow,
 * before its message had arrived. `unsent`: an own message that needed a stream, while as many as are
 * permitted to that member were on their way.
 */
export type Drop =
  | 'wrong-group'
  | 'forged'
  | 'malformed'
  | 'misdirected'
  | 'flood'
  | 'unproved'
  | 'incomplete'
  | 'unsent';

/** A signature of this protocol is none of another one that has the same key. */
const purpose: Buffer = Buffer.from('gossip\0');

/** Returns the signed bytes of an envelope. Without keys nothing is signed. */
export function sealEnvelope(
  tag: Buffer,
  keyring: Keyring | undefined,
  { from, to, cookie, echo, content }: Envelope,
): Buffer {
  const writer = new ByteWriter();
  writer.raw(tag);
  writer.text(keyring?.signingId ?? '');
  nameForm.write(writer, from, undefined);
  nameForm.write(writer, to, undefined);
  writer.raw(cookie);
  writer.raw(echo);
  writer.raw(content);
  if (keyring) writer.raw(keyring.signing.sign(purpose, writer.bytes()));
  return writer.bytes();
}

/** Reads untrusted bytes. Verifies the signature before anything else is read. */
export function openEnvelope(
  tag: Buffer,
  keyring: Keyring | undefined,
  bytes: Buffer,
): Envelope | Drop {
  if (!bytes.subarray(0, tagBytes).equals(tag)) return 'wrong-group';
  const reader = new ByteReader(bytes, tagBytes);
  const id = reader.text(keyIdBytesMax, 0);
  if (!reader.isSound) return 'malformed';
  if (!isSigned(keyring, id, bytes)) return 'forged';
  const end = bytes.length - (keyring ? signatureBytes : 0);
  const from = nameForm.read(reader, undefined);
  const to = nameForm.read(reader, undefined);
  const cookie = reader.raw(tagBytes);
  const echo = reader.raw(tagBytes);
  const start =
    tagBytes + 1 + Buffer.byteLength(id) + nameBytes(from) + nameBytes(to) + 2 * tagBytes;
  if (!reader.isSound || start > end || from === '') return 'malformed';
  return { from, to, cookie, echo, content: bytes.subarray(start, end) };
}

/** The bytes of an envelope beside its content. */
export function envelopeBytes(keyring: Keyring | undefined, from: string, to: string): number {
  const signed = keyring ? Buffer.byteLength(keyring.signingId) + signatureBytes : 0;
  return 3 * tagBytes + 1 + nameBytes(from) + nameBytes(to) + signed;
}

function isSigned(keyring: Keyring | undefined, id: string, bytes: Buffer): boolean {
  if (keyring === undefined) return id === '';
  const end = bytes.length - signatureBytes;
  const seal = keyring.accepted(id);
  return end > 0 && seal?.isOf(bytes.subarray(end), purpose, bytes.subarray(0, end)) === true;
}

function nameBytes(name: string): number {
  return 1 + Buffer.byteLength(name);
}
