// The numbers and comparisons of a log as rows that safety depends on.
import type { LogRecord } from './log-fold.ts';

/** The rules of the fold. Mutants replace one of them. */
export interface LogRules {
  /** M7: Returns whether an entry counts that names one epoch, and was appended in another. */
  counts(named: number, epoch: number): boolean;
  /** M6: Returns whether a reader in epoch `known` doubts the log when it reads a record of `epoch`. */
  isLoss(known: number, epoch: number): boolean;
  /** M6: Returns whether the record that was read last is still in the log. */
  isSame(last: LogRecord, found: LogRecord): boolean;
  /** M6: Returns whether records are missing before that one, if `next` was expected. */
  isGap(next: number, found: number): boolean;
  /** Returns whether a copy is complete, with `found` of its parts. */
  isComplete(found: number, parts: number): boolean;
  /** Returns whether a reader of all records from `from` on can apply a copy of the rows before `upTo`. */
  isUsable(from: number, upTo: number): boolean;
  /** Returns whether a copy of the rows before `upTo` is older than the last one, of those before `last`. */
  isOlder(upTo: number, last: number): boolean;
  /** Returns from which record on a copy is brought forward that is complete at `offset`. */
  continuesAt(upTo: number, offset: number): number;
  /** M6: Returns whether the rows of a copy replace those of a reader that differ. */
  replaces(): boolean;
  /** Returns whether an entry at `offset` that found no rows before `upTo` counts. */
  resets(upTo: number, offset: number): boolean;
  /** Returns the offset below which the log is cut, by the last two copies. */
  cutBelow(before: number, last: number): number;
}

export const logRules: LogRules = {
  counts: (named, epoch) => named === epoch,
  isLoss: (known, epoch) => known !== epoch,
  isSame: (last, found) => last.epoch === found.epoch && last.text === found.text,
  isGap: (next, found) => found > next,
  isComplete: (found, parts) => found === parts,
  isUsable: (from, upTo) => from <= upTo,
  isOlder: (upTo, last) => upTo < last,
  continuesAt: (upTo) => upTo,
  replaces: () => true,
  resets: (upTo, offset) => upTo === offset,
  cutBelow: (before) => before,
};
