// The files of a group as the ledger that core's lease needs: reads, writes and follows the
// registers, one per partition.
import { LeadershipError } from '@leadership/core';
import { HealthReporter, notifier } from '@leadership/core/internal/engine';
import type {
  Ledger,
  LedgerEvent,
  LedgerRecord,
  WriteOutcome,
} from '@leadership/core/internal/lease';
import { holdDisk, type Unthreaded } from './disk/disk.ts';
import { fileError } from './errors.ts';
import { fileFloor } from './floor.ts';
import { fileLeaseRequests } from './members/lease-requests.ts';
import { containerWarner, type WarningOf } from './mount/container.ts';
import { type MountGuard, mountGuard } from './mount/mount-guard.ts';
import { checkPlace, prepare } from './prepare.ts';
import { follow } from './register/follow.ts';
import { makeRegister } from './register/genesis.ts';
import { isPruneDue, prune } from './register/prune.ts';
import { put } from './register/put.ts';
import { Reader } from './register/reader.ts';
import type { Register, RegisterParts } from './register/register.ts';
import { type Registers, registersOf } from './register/registers.ts';
import type { Store } from './store.ts';

/** The configuration of the group. */
export interface FileLedgerOptions {
  readonly group: string;
  readonly thresholdMsMax: number;
  /** Returns a warning about the location of the directory. For tests. */
  readonly warningOf?: WarningOf;
}

/** Creates a ledger in a directory: one directory per register, one file per version. */
export function fileLedger(
  store: Store,
  { group, thresholdMsMax, warningOf }: FileLedgerOptions,
): Ledger {
  const { layout, scratch, busy, clock, host, pollMs, thresholdMs } = store;
  const changes = notifier(clock);
  let closed = false;
  const [held, leaseRequests, warn] = [
    holdDisk(warnerOf(host)),
    fileLeaseRequests(store),
    containerWarner(host, layout.group, warningOf),
  ];
  const prepared = preparing(store);
  const parts = partsOf(store, prepared, changes.notify);
  const registers = registersOf(layout, { group, thresholdMsMax }, parts);
  const guard = guardOf(store, registers);
  async function* eventsOf(
    partitions: readonly number[],
    signal: AbortSignal,
  ): AsyncGenerator<LedgerEvent> {
    const following = {
      clock,
      pollMs,
      notifier: changes,
      busy,
      isOver: () => closed,
      confirmed: () => host.confirmed(),
    };
    const readers = partitions.map((partition) => readerOf(registers.of(partition), store));
    try {
      await busy.track(prepared.opened().then(guard.begin));
      if (closed) return;
      void busy.track(warn());
      for await (const one of follow(readers, following, signal)) {
        yield one;
        if (one.kind === 'restarted') registers.of(one.partition).restarted();
      }
    } catch (error) {
      throw fileError(error, layout.group);
    }
  }
  async function write(record: LedgerRecord, signal: AbortSignal): Promise<WriteOutcome> {
    if (closed) throw new LeadershipError('closed', `${layout.group}: the ledger is closed`);
    const register = registers.of(record.partition);
    try {
      const written = await busy.track(
        guard.check().then(() => put(register, record, scratch, () => closed || signal.aborted)),
      );
      if (written === 'in-effect') tookEffect(register, store, signal.aborted);
      return written;
    } catch (error) {
      throw fileError(error, register.directory);
    }
  }
  return {
    shape: 'register',
    events: eventsOf,
    write,
    leaseRequests,
    tokenFloor: fileFloor(store),
    setCandidate: (isCandidate) => setCandidate(store, registers, isCandidate),
    reread: (partition) => registers.of(partition).forget(),
    async close() {
      closed = true;
      changes.notify();
      for (const register of registers) register.close();
      await busy.settled(clock, thresholdMs);
      // All requests have ended, so no file reappears. Other members remove leftovers.
      busy.track(leaseRequests.close()).catch(() => undefined);
      await busy.settled(clock, thresholdMs).finally(() => held[Symbol.dispose]());
    },
  };
}

/** Reports a version whose writer stopped waiting (`isLate`), and prunes. */
function tookEffect(register: Register, { busy }: Store, isLate: boolean): void {
  if (isLate) register.repeat();
  busy.track(tidy(register)).catch(() => undefined);
}

function guardOf({ host, layout }: Store, registers: Registers): MountGuard {
  const moved = (): void => {
    for (const register of registers) register.forget();
  };
  return mountGuard({ health: new HealthReporter(host), directory: layout.group, moved });
}

function partsOf(
  store: Store,
  prepared: Preparing,
  changed: () => void,
): Omit<RegisterParts, 'recheck'> {
  const { clock, watches } = store;
  return { clock, make: (directory) => make(store, prepared, directory), watches, changed };
}

function readerOf(register: Register, { clock, pollMs, thresholdMs, host }: Store): Reader {
  return new Reader(register, { clock, firstMs: pollMs, lastMs: thresholdMs, random: host.random });
}

function warnerOf(host: Store['host']): Unthreaded {
  return (reason) => void host.warning('misconfigured-backend', blocking(reason), reason);
}

function blocking(reason: unknown): string {
  const why = reason instanceof Error ? reason.message : String(reason);
  return `the disk thread cannot be started (${why}), so a slow disk blocks the event loop. If a bundler combined this program into one file, exclude @leadership/file from the bundle`;
}

function setCandidate(store: Store, registers: Registers, isCandidate: boolean): void {
  if (store.isCandidate === isCandidate) return;
  store.isCandidate = isCandidate;
  // A new candidate creates at once what is missing.
  if (isCandidate) for (const register of registers) register.doubt();
}

/** The preparation of the directory. */
interface Preparing {
  /** Prepares the directory when the group is opened; an observer only checks its place. */
  opened(): Promise<void>;
  /** Resolves once the directory is prepared. */
  once(): Promise<void>;
}

function preparing(store: Store): Preparing {
  const { layout, scratch } = store;
  let prepared: Promise<void> | undefined;
  const again = (): Promise<void> => {
    prepared = prepare(layout, scratch);
    prepared.catch(() => {
      prepared = undefined;
    });
    return prepared;
  };
  return {
    opened: () => (store.isCandidate ? again() : checkPlace(layout.group)),
    once: () => prepared ?? again(),
  };
}

/** Creates a missing register, unless this member observes. Returns whether it did. */
async function make(
  { scratch, isCandidate }: Store,
  prepared: Preparing,
  directory: string,
): Promise<boolean> {
  if (!isCandidate) return false;
  // A member that has only observed so far has prepared nothing.
  await prepared.once();
  await makeRegister(directory, scratch);
  return true;
}

/** Prunes the register from time to time. A file that cannot be removed now is removed later. */
async function tidy({ reported, directory }: Register): Promise<void> {
  if (reported !== undefined && isPruneDue(reported)) await prune(directory, reported);
}
