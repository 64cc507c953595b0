import type { EpochMember } from '../../src/index.ts';

export const voters: readonly string[];
export const members: readonly EpochMember[];

/** The ports of one group's members. */
export interface AddressBook {
  /** The port on which that member listens; `undefined` until it first listens. */
  find(member: string): number | undefined;
  enter(member: string, port: number): void;
  /** The address, as `HOST:PORT`. */
  addressOf(member: string): string | undefined;
}

export function addressBookIn(directory: string, group: string): AddressBook;
