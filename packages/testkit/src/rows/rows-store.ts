import type { Rows } from '@leadership/core/adapter';
import { missingFaults } from '../missing-faults.ts';

/** A fault or a feature of a store that a check needs. Without it the check is skipped. */
export type RowsFault =
  /** A person changes rows without a member. */
  | 'hand-edits'
  /** A change is begun, others commit, and then it commits. */
  | 'open-transactions'
  /** The same, while the row is locked. */
  | 'locked-rows'
  /** Requests take effect, but their replies are lost. */
  | 'lost-replies'
  /** A backup is restored: acknowledged changes are lost. */
  | 'restored-backup'
  /** A replica that lacks the newest changes becomes the store. */
  | 'promoted-replica'
  /** A place where no member has created anything. */
  | 'missing-store'
  /** Names and texts contain NUL. */
  | 'nul'
  /** Members are notified of awaited changes. */
  | 'notifications'
  /** A reading may return an older state to observers. */
  | 'lagging-reads';

/** Opens the rows of a group, as a member with connections of its own. Nothing is sent before `open`. */
export type OpenRows = (group: string) => Rows | Promise<Rows>;

/** A store under test: it opens rows, and has faults. An adapter implements it in its tests. */
export interface RowsStore extends AsyncDisposable {
  /** The name of the store in test names. */
  readonly name: string;
  /** Opens the rows of a group, each time as another member. */
  readonly openRows: OpenRows;
  /** How long a check waits for an event before it fails. Milliseconds. Default: 60 000. */
  readonly timeoutMs?: number;
  /** For each fault that the store cannot have: the reason, which is printed for skipped checks. */
  readonly cannot?: Readonly<Partial<Record<RowsFault, string>>>;
  /** Sets a row on no condition, as a person can; `null` removes it. */
  put?(group: string, name: string, text: string | null): Promise<void>;
  /** Begins to set a row that exists. Resolves with what commits the change. */
  begin?(group: string, name: string, text: string): Promise<() => Promise<void>>;
  /** Whether what {@link begin} has begun locks the row. */
  readonly locks?: boolean;
  /** Loses the replies to all requests of these rows, which take effect, until disposed. */
  loseReplies?(rows: Rows): Disposable;
  /** Backs the store up, calls the function, and then restores the backup. */
  restore?(during: () => Promise<void>): Promise<void>;
  /** Calls the function, whose changes a replica does not receive, and then promotes the replica. */
  promote?(during: () => Promise<void>): Promise<void>;
  /** Returns what opens rows in a place where nothing was created. */
  elsewhere?(): OpenRows;
  /** Whether names and texts may contain NUL. */
  readonly holdsNul?: boolean;
  /** Whether `listen` notifies of awaited changes. */
  readonly notifies?: boolean;
  /** Whether a reading with `mayLag` may return an older state. */
  readonly lags?: boolean;
}

function faultsOf(store: RowsStore): ReadonlySet<RowsFault> {
  const offers: readonly (readonly [RowsFault, unknown])[] = [
    ['hand-edits', store.put],
    ['open-transactions', store.begin],
    ['locked-rows', store.begin !== undefined && store.locks],
    ['lost-replies', store.loseReplies],
    ['restored-backup', store.restore],
    ['promoted-replica', store.promote],
    ['missing-store', store.elsewhere],
    ['nul', store.holdsNul],
    ['notifications', store.notifies],
    ['lagging-reads', store.lags],
  ];
  return new Set(offers.filter(([, offer]) => Boolean(offer)).map(([fault]) => fault));
}

/** Returns why a check that needs these faults cannot run on the store; `undefined` if it can. */
export function reasonToSkipRows(
  needs: readonly RowsFault[],
  store: RowsStore,
): string | undefined {
  const faults = faultsOf(store);
  const missing = needs.filter((need) => !faults.has(need));
  if (missing.length === 0) return undefined;
  return `${store.name} does not have: ${missingFaults(missing, store.cannot)}`;
}
