// The names of a group's rows in any store: one for each partition's lease, one for the group's
// settings, one for each member. Rows of other names are not touched.
import { pinRegister } from '../../ledger/record.ts';

const memberPrefix = 'member#';
const requestPrefix = 'request#';

/** Returns the name of a register's row. */
export function registerRowName(partition: number): string {
  return partition === pinRegister ? 'pin' : `partition#${partition}`;
}

/** Returns the name of the row by which a member announces its presence. */
export function presenceRowName(incarnation: string): string {
  return `${memberPrefix}${incarnation}`;
}

/** Returns the name of the row by which a member requests a lease. */
export function requestRowName(partition: number, incarnation: string): string {
  return `${requestPrefix}${partition}#${incarnation}`;
}

/** The kinds of rows that members write beside the registers. */
export type MemberRowKind = 'member' | 'lease-request';

/** Returns the kind of a member's row by its name; `undefined` for other rows. */
export function memberRowKind(name: string): MemberRowKind | undefined {
  if (name.startsWith(memberPrefix)) return 'member';
  return name.startsWith(requestPrefix) ? 'lease-request' : undefined;
}
