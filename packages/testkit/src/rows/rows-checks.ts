import { noRowIsMissed, oneWinner } from './checks/concurrency.ts';
import {
  changedOnCondition,
  eachOnItsOwn,
  emptyText,
  fullBatch,
  likeAMap,
  repeatedBatch,
} from './checks/conditions.ts';
import { abortedBefore, abortedUnderWay, closed, lostReply } from './checks/faults.ts';
import { promotedReplica, restoredBackup } from './checks/history.ts';
import { announces, notifies, notifiesOwnGroup } from './checks/listening.ts';
import {
  acknowledgedIsRead,
  handEdits,
  laggingReads,
  lateCommits,
  lockedRows,
  missingStore,
  oldPosition,
  removedAndCreated,
  showsItsChanges,
  sincePosition,
  wholeOnRequest,
} from './checks/reading.ts';
import { groupsApart, hostileTexts, longTexts, nulTexts } from './checks/texts.ts';
import type { RowsCheck } from './rows-check.ts';

/** The contract of `Rows`: all checks, in reading order. */
export const rowsChecks: readonly RowsCheck[] = [
  changedOnCondition,
  eachOnItsOwn,
  emptyText,
  repeatedBatch,
  fullBatch,
  likeAMap,
  hostileTexts,
  nulTexts,
  longTexts,
  groupsApart,
  showsItsChanges,
  sincePosition,
  removedAndCreated,
  oldPosition,
  wholeOnRequest,
  acknowledgedIsRead,
  laggingReads,
  handEdits,
  lateCommits,
  lockedRows,
  missingStore,
  oneWinner,
  noRowIsMissed,
  lostReply,
  abortedBefore,
  abortedUnderWay,
  closed,
  notifies,
  announces,
  notifiesOwnGroup,
  restoredBackup,
  promotedReplica,
];
