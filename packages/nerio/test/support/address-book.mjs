// The addresses of a test group's members. Each member stores its port in a file, and every caller
// reads that file for each connection. So members can start at any time and in any process.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The voters of each group. They are not candidates. */
export const voters = ['v1', 'v2', 'v3'];

/**
 * The members that a check may open. They are candidates and not voters, so any of them can be
 * lost.
 */
const candidates = [
  'a',
  'b',
  'c',
  'd',
  'e',
  'asker',
  'candidate',
  'first',
  'late',
  'm0',
  'm1',
  'm2',
  'observer',
];

export const members = [
  ...candidates.map((member) => ({ member, votes: false })),
  ...voters.map((member) => ({ member, stands: false })),
];

export function addressBookIn(directory, group) {
  const folder = join(directory, encodeURIComponent(group));
  mkdirSync(folder, { recursive: true });
  const find = (member) => {
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
