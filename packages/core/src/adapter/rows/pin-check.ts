// Refuses a member whose options differ from those of its group: compares the values beside the
// record in the row of the pin (R3), where the group keeps them. The engine compares the record
// itself.
import { LeadershipError } from '../../contract/leadership-error.ts';
import { pinExtras, type RegisterRow } from './register-row.ts';
import type { TableLedgerOptions } from './table-options.ts';

/** The part of the options that the pin must match. */
export type PinnedOptions = Pick<
  TableLedgerOptions,
  'group' | 'partitions' | 'thresholdMsMax' | 'agreement'
>;

/** Returns whether the pin, or its genesis, matches this member's options. */
export function matchesPin(
  row: RegisterRow,
  { partitions, thresholdMsMax, agreement }: PinnedOptions,
): boolean {
  const extras = pinExtras(row);
  if (row.record === null) return (extras.partitions ?? partitions) === partitions;
  const { metadata } = row.record;
  const isAlike =
    metadata?.['partitions'] === String(partitions) &&
    metadata['thresholdMsMax'] === String(thresholdMsMax);
  return !row.isStrange && isAlike && agreement?.refusal(extras.pinned) === undefined;
}

/**
 * Rejects a pin that is unreadable or names other values. A pin never changes, so waiting cannot
 * help.
 *
 * @throws LeadershipError `misconfigured-backend` with the name of the store
 */
export function checkPin(
  row: RegisterRow,
  store: string,
  { group, agreement }: PinnedOptions,
): void {
  const advice = 'stop all members, delete the rows of the group, and start them again';
  const why = row.isStrange
    ? `the pin of group "${group}" is unreadable: ${advice}`
    : agreement?.refusal(pinExtras(row).pinned);
  if (why !== undefined) throw new LeadershipError('misconfigured-backend', `${store}: ${why}`);
}
