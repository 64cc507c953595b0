// The binary format of what a member publishes about itself: the code of its first trouble, and its roles.
import type { Publication } from '@leadership/core/adapter';
import { publicationIn } from '@leadership/core/internal/engine';
import type { ByteReader, ByteWriter } from '@leadership/peer';

/** The limits on a publication: the length of a code, the number of roles, and the length of a name. */
const codeBytesMax = 256;
const rolesMax = 32;
const roleBytesMax = 1024;

/** Writes a publication. Its roles are bounded by the source. */
export function writePublication(to: ByteWriter, { trouble = '', roles = [] }: Publication): void {
  to.text(trouble);
  to.uint(roles.length);
  for (const role of roles) to.text(role);
}

/** Reads a publication; `undefined` if the bytes are invalid. */
export function readPublication(from: ByteReader): Publication | undefined {
  const trouble = from.text(codeBytesMax, 0);
  const count = from.uint(rolesMax);
  const roles: string[] = [];
  while (roles.length < count && from.isSound) roles.push(from.text(roleBytesMax));
  return from.isDone ? publicationIn({ trouble, roles }) : undefined;
}
