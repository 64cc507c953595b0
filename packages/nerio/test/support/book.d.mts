import type { EpochMember } from '../../src/index.ts';

export const voters: readonly string[];
export const members: readonly EpochMember[];

/** The ports of one group's members. */
export interface Book {
  /** The port on which that member listens; `undefined` until it first listens. */
  find(member: string): number | undefined;
  enter(member: string, port: number): void;
  /** The address, as `HOST:PORT`. */
  addressOf(member: string): string | undefined;
}

export function bookIn(directory: string, group: string): Book;
