// A cluster in which every part can be replaced by a wrong one. Without replacements it passes
// every check.
import type { LeadershipSource } from '@leadership/core';
import { type Clock, type Host, openSource, resolveOptions } from '@leadership/core/adapter';
import { balanced, type Ledger, type Placement } from '@leadership/core/internal/lease';
import {
  type LedgerRules,
  ledgerBackendUnder,
  ledgerRules,
} from '@leadership/core/internal/ledger';
import type { Cluster, MemberOptions, StoreFault } from '../../src/index.ts';
import {
  injectLineFault,
  type Line,
  looseLedger,
  looseLine,
  loosePresence,
} from './loose-ledger.ts';
import { type LooseStore, looseStore } from './loose-store.ts';
import { type Kept, simulatedProcess, stoppableClock } from './simulated-process.ts';

/** The wrong parts of a cluster; the parts that are left out are correct. */
export interface Flaws {
  readonly rules?: Partial<LedgerRules>;
  readonly options?: (options: MemberOptions) => MemberOptions;
  readonly host?: (host: Host, options: MemberOptions) => Host;
  readonly ledger?: (ledger: Ledger) => Ledger;
  readonly placement?: (placement: Placement, partitions: number) => Placement;
  readonly clock?: Clock;
  readonly source?: (source: LeadershipSource, options: MemberOptions) => LeadershipSource;
  /** Ends a member's process once its source is closed. */
  readonly endsBy?: () => Promise<void>;
  /** What the closed sources of a process that only closes leave open. */
  readonly leaves?: string;
  /** The ledger compares in the client instead of in the store. */
  readonly isBlind?: true;
  readonly garbage?: 'swallowed' | 'believed';
  /** Called when the cluster is disposed. */
  readonly dispose?: () => void;
}

export interface LooseCluster extends Cluster {
  keep(options: MemberOptions, clock?: Clock): Kept;
}

export function looseCluster(flaws: Flaws = {}, thresholdMs = 500): LooseCluster {
  const stores = new Map<string, LooseStore>();
  const lines = new Map<LeadershipSource, Line>();
  const storeOf = (group: string): LooseStore => {
    const store = stores.get(group) ?? looseStore(group);
    stores.set(group, store);
    return store;
  };
  const keep = (asked: MemberOptions, clock = flaws.clock): Kept => {
    const options = flaws.options?.(asked) ?? asked;
    const line = looseLine();
    const source = openMember(storeOf(options.group), line, options, flaws, clock);
    const flawed = flaws.source?.(source, options) ?? source;
    lines.set(flawed, line);
    return { line, source: flawed };
  };
  return {
    name: 'loose',
    thresholdMs,
    announcesClaims: true,
    keep,
    open: (options) => keep(options).source,
    async spawn({ group, options, work }) {
      const clock = stoppableClock();
      return simulatedProcess(
        keep({ member: 'simulated', ...options, group }, clock),
        clock,
        work,
        flaws,
      );
    },
    cut: (source) => cutLine(lines.get(source) ?? looseLine()),
    storeFaults: Object.fromEntries(
      injectable.map((fault) => [
        fault,
        (source: LeadershipSource) =>
          injectLineFault(storeOf(source.group), lines.get(source) ?? looseLine(), fault),
      ]),
    ),
    loseQuorum: (group) => loseQuorum(storeOf(group)),
    requests: () => [...stores.values()].reduce((sum, { requests }) => sum + requests, 0),
    contents: async (group) => {
      const { registers, present } = storeOf(group);
      return [...[...registers.values()].map(({ id }) => id), ...present];
    },
    rollBack: async (group, partition) => rollBack(storeOf(group), partition),
    // The notification is late, as with a reader that polls.
    deleteState: async (group) => {
      storeOf(group).registers.clear();
      setTimeout(() => storeOf(group).reportLost(), thresholdMs / 4);
    },
    putGarbage: async (group, partition) => putGarbage(storeOf(group), partition, flaws.garbage),
    putOtherRelease: async (group, partition, kind, forMs) =>
      storeOf(group).putOtherRelease(partition, kind, forMs),
    [Symbol.asyncDispose]: async () => flaws.dispose?.(),
  };
}

function openMember(
  store: LooseStore,
  line: Line,
  options: MemberOptions,
  flaws: Flaws,
  clock: Clock | undefined,
): LeadershipSource {
  const resolved = resolveOptions(options);
  const { partitions, thresholdMs } = resolved;
  const rules = { ...ledgerRules, ...flaws.rules };
  const backend = ledgerBackendUnder(
    rules,
    resolved,
    (host) => {
      const backOff = { firstMs: thresholdMs / 20, lastMs: thresholdMs / 2, random: host.random };
      const { incarnation } = host;
      const placement = balanced(loosePresence(store, line, incarnation), {
        incarnation,
        partitions,
        clock: host.clock,
        backOff,
      });
      const ledger = looseLedger(store, line, host.clock, flaws.isBlind);
      return {
        ledger: flaws.ledger?.(ledger) ?? ledger,
        placement: flaws.placement?.(placement, partitions) ?? placement,
      };
    },
    { assumes: [] },
  );
  const start: typeof backend.start = (host) => backend.start(flaws.host?.(host, options) ?? host);
  return openSource({ guarantees: backend.guarantees, start }, resolved, clock ? { clock } : {});
}

/** The faults that a line of the loose cluster supports. */
const injectable: readonly StoreFault[] = [
  'stale-reads',
  'lost-replies',
  'late-writes',
  'reads-cut',
  'writes-cut',
  'expired-credentials',
];

/** Makes the store answer only that it has no quorum. */
function loseQuorum(store: LooseStore): Disposable {
  store.isWithoutQuorum = true;
  for (const end of store.broken) end();
  return {
    [Symbol.dispose]() {
      store.isWithoutQuorum = false;
    },
  };
}

/** Restores the record of a few versions ago. */
function rollBack(store: LooseStore, partition: number): void {
  const versions = store.history.filter((record) => record.partition === partition);
  const before = versions.at(-3) ?? versions[0];
  if (before) store.registers.set(partition, before);
  store.reportLost();
}

/** Cuts the line until disposed. */
function cutLine(line: Line): Disposable {
  line.isCut = true;
  for (const end of line.broken) end();
  return {
    [Symbol.dispose]() {
      line.isCut = false;
      for (const flawed of line.mended) flawed();
    },
  };
}

function putGarbage(store: LooseStore, partition: number, flaw: Flaws['garbage']): void {
  if (flaw === 'swallowed') return;
  if (flaw === 'believed') store.registers.delete(partition);
  store.notify((listener) => listener.update({ kind: 'ignored', what: 'garbage' }));
  if (flaw === 'believed')
    store.notify((listener) => listener.update({ kind: 'restarted', partition }));
}
