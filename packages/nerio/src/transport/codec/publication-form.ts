// The binary format of what a member publishes about itself: the code of its first trouble, and its roles.

import { type Form, fieldsForm, readList } from '@leadership/peer';
import type { Published } from '../transport.ts';

/** The limits on a publication: the length of a code, and the number and the length of all roles. */
const codeBytesMax = 64;
const rolesMax = 32;
const rolesBytesMax = 1024;

/** A publication of a member. Its roles are bounded by the source. */
export const publicationForm: Form<Published> = fieldsForm<Published>({
  trouble: {
    write: (to, trouble = '') => to.text(trouble),
    read: (from) => from.text(codeBytesMax, 0) || undefined,
  },
  roles: {
    write(to, roles = []) {
      to.uint(roles.length);
      for (const role of roles) to.text(role);
    },
    read(from) {
      let restBytes = rolesBytesMax;
      const roles = readList(from, from.uint(rolesMax), () => {
        const role = from.text(restBytes);
        restBytes -= Buffer.byteLength(role);
        return role;
      });
      return roles.length > 0 ? roles : undefined;
    },
  },
});
