// The option `keys` of Nerio and gossip, after its checks.
import { check } from '@leadership/core/adapter';
import { type Seal, sealOf } from './seal.ts';

/** The shared secrets of a group, by id. */
export interface GroupKeys {
  /** The id of the signing key of this member, one of `accept`. */
  readonly sign: string;
  /** The accepted keys. A string counts as its UTF-8 bytes. */
  readonly accept: Readonly<Record<string, string | Uint8Array>>;
}

/** Keys that were checked. */
export interface Keyring {
  readonly signingId: string;
  readonly signing: Seal;
  /** Returns the key with that id; `undefined` if it is not accepted. */
  accepted(id: string): Seal | undefined;
}

/** The shortest secret. Bytes. */
const secretBytesMin = 16;
/** The longest id of a key, in bytes. */
export const keyIdBytesMax = 32;

/**
 * Checks keys.
 * @throws LeadershipError `invalid-options`. The message contains no secret
 */
export function keyringOf({ sign, accept }: GroupKeys): Keyring {
  check(
    typeof sign === 'string' && typeof accept === 'object' && accept !== null,
    'keys must be { sign: ID, accept: { ID: SECRET } }',
  );
  const ids = Object.keys(accept);
  for (const id of ids) {
    const bytes = Buffer.byteLength(id);
    check(
      bytes >= 1 && bytes <= keyIdBytesMax,
      `the key id "${id}" is ${bytes} bytes; it must be 1 to ${keyIdBytesMax}`,
    );
    const length = lengthOf(accept[id]);
    check(
      length >= secretBytesMin,
      `the key "${id}" has ${length} bytes; it must have at least ${secretBytesMin}`,
    );
  }
  check(
    ids.includes(sign),
    `keys.sign is "${sign}"; it must be one of the ids in keys.accept: ${ids.join(', ') || 'none'}`,
  );
  const seals = new Map(ids.map((id) => [id, sealOf(accept[id] ?? '')]));
  const signing = seals.get(sign);
  if (signing === undefined)
    throw new Error('Broken invariant: the signing key is among those to accept');
  return { signingId: sign, signing, accepted: (id) => seals.get(id) };
}

function lengthOf(secret: unknown): number {
  if (typeof secret === 'string') return Buffer.byteLength(secret);
  return secret instanceof Uint8Array ? secret.length : 0;
}
