import { LeadershipError } from '../contract/leadership-error.ts';

/** Creates the error of an observer that finds no pin: the group may be misspelt, or not begun. */
export function unknownGroup(group: string): LeadershipError {
  return new LeadershipError(
    'unknown-group',
    `no member has ever opened group "${group}" here: correct the name of the group or the address of the store, or start a member`,
  );
}
