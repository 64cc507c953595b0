import type { EpochMember } from '../../src/index.ts';

export const voters: readonly string[];
export const members: readonly EpochMember[];

/** The ports of one group's members. */
export interface Book {
  /** Where that member listens; `undefined` before it first does. */
  find(member: string): number | undefined;
  enter(member: string, port: number): void;
  /** The same, as `HOST:PORT`. */
  addressOf(member: string): string | undefined;
}

export function bookIn(directory: string, group: string): Book;
