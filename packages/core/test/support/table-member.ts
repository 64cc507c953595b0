import { type TableParts, tableLedger } from '../../src/adapter/rows/table-ledger.ts';
import type { TableLedgerOptions } from '../../src/adapter/rows/table-options.ts';
import type { TableHost } from '../../src/adapter/rows/table-store.ts';
import type { LeaseRequest, LedgerEvent, WriteOutcome } from '../../src/ledger/ledger.ts';
import type { LedgerRecord } from '../../src/ledger/record.ts';
import { manyListeners } from '../../src/process/many-listeners.ts';
import type { Instant } from '../../src/time/instant.ts';
import { type ManualClock, manualClock, turn } from './manual-clock.ts';
import { type MemberRows, type MemoryRows, memoryRows, type RowsFaults } from './memory-rows.ts';

/**
 * One member of a group in rows, whose ledger a test reads as an engine does, and writes directly.
 */
export interface TableMember extends TableParts {
  readonly rows: MemberRows;
  readonly incarnation: string;
  /** All events so far. */
  readonly events: readonly LedgerEvent[];
  /** The error with which the stream ended. */
  readonly error: unknown;
  /** The current troubles. */
  readonly troubles: ReadonlySet<string>;
  /** The record of partition 0 as the engine would know it. */
  current(): LedgerRecord | undefined;
  /** Writes the successor of `current()`, modified by `changes`. */
  write(changes?: Partial<LedgerRecord>): Promise<WriteOutcome>;
}

/** Options of a member: those of the ledger, its registers, and its random numbers. */
interface TableMemberOptions extends Partial<TableLedgerOptions> {
  readonly registers?: readonly number[];
  readonly random?: () => number;
}

/** A group in rows with a clock that tests advance. */
export interface TableGroup {
  readonly store: MemoryRows;
  readonly clock: ManualClock;
  /** Opens a member and completes its first read, as far as it can. */
  join(member: string, options?: TableMemberOptions, faults?: RowsFaults): Promise<TableMember>;
  /** Waits as long as every member takes to read again. */
  read(): Promise<void>;
}

/** T of the members. Milliseconds. */
export const thresholdMs = 1000;

export function tableGroup(): TableGroup {
  const store = memoryRows();
  const clock = manualClock();
  return {
    store,
    clock,
    async join(member, options = {}, faults = {}) {
      const joined = join(member, options, store.member(faults), clock);
      await turn();
      return joined;
    },
    read: () => clock.pass(0.55 * thresholdMs),
  };
}

function join(
  member: string,
  { registers = [0], random = () => 0.5, ...more }: TableMemberOptions,
  rows: MemberRows,
  clock: ManualClock,
): TableMember {
  const options = {
    group: 'g',
    partitions: 1,
    thresholdMs,
    thresholdMsMax: 5000,
    campaign: true,
    ...more,
  };
  const troubles = new Set<string>();
  const incarnation = `${member}-life`;
  const host: TableHost = {
    member,
    incarnation,
    clock,
    random,
    confirmed: () => undefined,
    trouble(_code, message) {
      troubles.add(message);
      return { [Symbol.dispose]: () => void troubles.delete(message) };
    },
    warning: () => ({ [Symbol.dispose]: () => undefined }),
  };
  const parts = tableLedger(rows, options, host);
  const events: LedgerEvent[] = [];
  let current: LedgerRecord | undefined;
  let error: unknown;
  let sequence = 0;
  const learn = (item: LedgerEvent): void => {
    if (item.kind === 'restarted') current = undefined;
    if (item.kind === 'record' && item.record.partition === 0) current = item.record;
    events.push(item);
  };
  const follow = async (): Promise<void> => {
    for await (const item of parts.ledger.events(
      registers,
      manyListeners(new AbortController().signal),
    ))
      learn(item);
  };
  void follow().catch((thrown: unknown) => {
    error = thrown;
  });
  return {
    ...parts,
    rows,
    incarnation,
    events,
    troubles,
    current: () => current,
    get error() {
      return error;
    },
    async write(changes = {}) {
      sequence += 1;
      const place = {
        group: 'g',
        partition: 0,
        after: current?.id ?? null,
        height: (current?.height ?? -1) + 1,
      };
      const own = {
        id: `${member}/${sequence}`,
        member,
        incarnation,
        kind: 'hold',
        thresholdMs,
        token: current?.token ?? 1n,
      };
      const record = { ...place, ...own, ...changes };
      const outcome = await parts.ledger.write(record, new AbortController().signal);
      if (outcome === 'in-effect') current = record;
      return outcome;
    },
  };
}

/** A signal that never aborts. */
export const forever = manyListeners(new AbortController().signal);

/** Advances the clock of the group. In T. */
export function pass({ clock }: TableGroup, thresholds: number): Promise<void> {
  return clock.pass(thresholds * thresholdMs);
}

/** A lease request, and when it was received. */
type ReceivedRequest = LeaseRequest & { readonly receivedAt: Instant };

/** The presence and the lease requests of a group, as an engine follows them. */
export interface FollowedMembers {
  readonly present: readonly string[];
  /** All that `present` has been. */
  readonly all: readonly (readonly string[])[];
  readonly requests: readonly ReceivedRequest[];
}

/** Follows the presence and the lease requests of a group as an engine does. */
export function followMembers({ presence, ledger }: TableMember): FollowedMembers {
  const all: (readonly string[])[] = [];
  const requests: ReceivedRequest[] = [];
  const members = async (): Promise<void> => {
    for await (const now of presence.present(forever)) all.push(now);
  };
  const received = async (): Promise<void> => {
    for await (const request of ledger.leaseRequests?.received(forever) ?? [])
      requests.push(request);
  };
  void Promise.all([members(), received()]);
  return {
    all,
    requests,
    get present() {
      return all.at(-1) ?? [];
    },
  };
}

/** Returns the kinds of a member's events. */
export function kindsOf({ events }: TableMember): readonly string[] {
  return events.map(({ kind }) => kind);
}
