// Finds the members of a Nerio group in tests. Each member stores its port in a file, and every
// caller reads that file for each connection. So members can start at any time and in any process.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The ports of one group's members. */
export interface AddressBook {
  /** Returns the port on which that member listens; `undefined` until it first listens. */
  find(member: string): number | undefined;
  enter(member: string, port: number): void;
  /** Returns the address, as `HOST:PORT`. */
  addressOf(member: string): string | undefined;
}

/** Opens the book of a group in that directory. */
export function addressBookIn(directory: string, group: string): AddressBook {
  const folder = join(directory, encodeURIComponent(group));
  mkdirSync(folder, { recursive: true });
  const find = (member: string): number | undefined => {
    try {
      return Number(readFileSync(join(folder, member), 'utf8'));
    } catch {
      return undefined;
    }
  };
  return {
    find,
    enter(member, port) {
      const aside = join(folder, `.${member}.${process.pid}`);
      writeFileSync(aside, String(port));
      renameSync(aside, join(folder, member));
    },
    addressOf(member) {
      const port = find(member);
      return port === undefined ? undefined : `127.0.0.1:${port}`;
    },
  };
}
