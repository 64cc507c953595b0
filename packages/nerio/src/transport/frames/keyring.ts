import { LeadershipError } from '@leadership/core';
import { type Seal, sealOf } from './seal.ts';

/** Shared secrets of a group, by an id of your choice. */
export interface NerioKeys {
  /** The id of the key that this member signs with: one of `accept`. */
  readonly sign: string;
  /** The keys that it accepts: at least 16 bytes each, of which 32 random ones are best. A text counts as its UTF-8. */
  readonly accept: Readonly<Record<string, string | Uint8Array>>;
}

/** Keys, ready for use. */
export interface Keyring {
  readonly signingId: string;
  readonly signing: Seal;
  /** `undefined` where that id is not accepted. */
  accepted(id: string): Seal | undefined;
}

/** Shorter secrets can be guessed. Bytes. */
const secretBytesMin = 16;
/** The longest id of a key, in bytes. */
export const keyIdBytesMax = 32;

/**
 * Checks keys.
 * @throws LeadershipError `invalid-options`; no secret is in its message
 */
export function keyringOf({ sign, accept }: NerioKeys): Keyring {
  check(typeof sign === 'string' && typeof accept === 'object' && accept !== null, 'keys must be { sign: ID, accept: { ID: SECRET } }');
  const ids = Object.keys(accept);
  for (const id of ids) {
    const bytes = Buffer.byteLength(id);
    check(bytes >= 1 && bytes <= keyIdBytesMax, `the key id "${id}" is ${bytes} bytes; it must be 1 to ${keyIdBytesMax}`);
    const length = lengthOf(accept[id]);
    check(length >= secretBytesMin, `the key "${id}" has ${length} bytes; it must have at least ${secretBytesMin}`);
  }
  check(ids.includes(sign), `keys.sign is "${sign}", which is none of the keys to accept: ${ids.join(', ') || 'there are none'}`);
  const seals = new Map(ids.map((id) => [id, sealOf(accept[id] ?? '')]));
  const signing = seals.get(sign);
  if (signing === undefined) throw new Error('Broken invariant: the signing key is among those to accept');
  return { signingId: sign, signing, accepted: (id) => seals.get(id) };
}

function lengthOf(secret: unknown): number {
  if (typeof secret === 'string') return Buffer.byteLength(secret);
  return secret instanceof Uint8Array ? secret.length : 0;
}

function check(holds: boolean, sentence: string): void {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}
