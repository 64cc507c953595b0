// The binary format of what a member publishes about itself: the code of its first trouble, and its roles.
import type { ByteReader, ByteWriter } from '@leadership/peer';
import type { Published } from '../transport.ts';

/** The limits on a publication: the length of a code, and the number and the length of all roles. */
const codeBytesMax = 64;
const rolesMax = 32;
const rolesBytesMax = 1024;

/** Writes a publication. Its roles are bounded by the source. */
export function writePublication(to: ByteWriter, { trouble = '', roles = [] }: Published): void {
  to.text(trouble);
  to.uint(roles.length);
  for (const role of roles) to.text(role);
}

/** Reads a publication; `undefined` if the bytes are invalid. */
export function readPublication(from: ByteReader): Published | undefined {
  const trouble = from.text(codeBytesMax, 0);
  const count = from.uint(rolesMax);
  const roles: string[] = [];
  let restBytes = rolesBytesMax;
  while (roles.length < count && from.isSound) {
    const role = from.text(restBytes);
    roles.push(role);
    restBytes -= Buffer.byteLength(role);
  }
  if (!from.isDone) return undefined;
  return { ...(trouble !== '' && { trouble }), ...(roles.length > 0 && { roles }) };
}
