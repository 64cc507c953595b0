import { LeadershipError } from '@leadership/core';
import type { Ledger, LedgerEvent, LedgerRecord, WriteOutcome } from '@leadership/core/adapter';
import { HealthReporter, notifier } from '@leadership/core/internal';
import { holdDisk, type Unthreaded } from './disk/disk.ts';
import { makeAsObserver } from './disk/make-as-observer.ts';
import type { Scratch } from './disk/scratch.ts';
import { fileError } from './errors.ts';
import { fileFloor } from './floor.ts';
import { fileLeaseRequests } from './members/lease-requests.ts';
import { containerWarner, type WarningOf } from './mount/container.ts';
import { type MountGuard, mountGuard } from './mount/mount-guard.ts';
import { prepare } from './prepare.ts';
import { follow } from './register/follow.ts';
import { makeRegister } from './register/genesis.ts';
import { isPruneDue, prune } from './register/prune.ts';
import { put } from './register/put.ts';
import { Reader } from './register/reader.ts';
import type { Register, RegisterParts } from './register/register.ts';
import { type Registers, registersOf } from './register/registers.ts';
import type { Store } from './store.ts';

/** The configuration of the group, and whether this member writes. */
export interface FileLedgerOptions {
  readonly group: string;
  readonly thresholdMsMax: number;
  readonly campaign: boolean;
  /** Returns a warning about the location of the directory. For tests. */
  readonly warningOf?: WarningOf;
}

/** Creates a ledger in a directory: one directory per register, one file per version. */
export function fileLedger(
  store: Store,
  { group, thresholdMsMax, campaign, warningOf }: FileLedgerOptions,
): Ledger {
  const { layout, scratch, busy, clock, host, pollMs, thresholdMs } = store;
  const stirring = notifier(clock);
  let closed = false;
  const [held, leaseRequests, warn] = [
    holdDisk(warnerOf(host)),
    fileLeaseRequests(store),
    containerWarner(host, layout.group, warningOf),
  ];
  const registers = registersOf(
    layout,
    { group, thresholdMsMax },
    partsOf(store, campaign, stirring.notify),
  );
  const guard = guardOf(store, registers);
  async function* news(
    partitions: readonly number[],
    signal: AbortSignal,
  ): AsyncGenerator<LedgerEvent> {
    const following = {
      clock,
      pollMs,
      bell: stirring,
      busy,
      isOver: () => closed,
      confirmed: () => host.confirmed(),
    };
    const readers = partitions.map((partition) => readerOf(registers.of(partition), store));
    try {
      await busy.track(prepare(layout, scratch, campaign).then(guard.begin));
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
    events: news,
    write,
    leaseRequests,
    tokenFloor: fileFloor(store),
    reread: (partition) => registers.of(partition).forget(),
    async close() {
      closed = true;
      stirring.notify();
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
  if (isLate) register.retell();
  busy.track(tidy(register)).catch(() => undefined);
}

function guardOf({ host, layout }: Store, registers: Registers): MountGuard {
  const moved = (): void => {
    for (const register of registers) register.forget();
  };
  return mountGuard({ health: new HealthReporter(host), directory: layout.group, moved });
}

function partsOf(
  { clock, scratch, watches }: Store,
  campaign: boolean,
  stirred: () => void,
): Omit<RegisterParts, 'anew'> {
  return { clock, make: makerOf(scratch, campaign), watches, stirred };
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

function makerOf(scratch: Scratch, campaign: boolean): (directory: string) => Promise<void> {
  const make = (directory: string): Promise<void> => makeRegister(directory, scratch);
  return campaign ? make : (directory) => makeAsObserver(directory, () => make(directory));
}

/** Prunes the register from time to time. A file that cannot be removed now is removed later. */
async function tidy({ told, directory }: Register): Promise<void> {
  if (told !== undefined && isPruneDue(told)) await prune(directory, told);
}
