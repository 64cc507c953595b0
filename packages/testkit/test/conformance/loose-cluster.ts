// A cluster in which every part can be replaced by a wrong one. Without replacements it passes
// every check.
import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import {
  type Clock,
  type Host,
  type Membership,
  openSource,
  type Rows,
  resolveOptions,
} from '@leadership/core/adapter';
import { type LeaseRules, leaseBackendUnder, leaseRules } from '@leadership/core/internal/sessions';
import type { Cluster, MemberOptions, StoreFault } from '../../src/index.ts';
import { Line, LooseStore } from './loose-rows.ts';
import { type Kept, simulatedProcess, stoppableClock } from './simulated-process.ts';

/** The wrong parts of a cluster; the parts that are left out are correct. */
export interface Flaws {
  readonly rules?: Partial<LeaseRules>;
  readonly options?: (options: MemberOptions) => MemberOptions;
  readonly host?: (host: Host, options: MemberOptions) => Host;
  readonly rows?: (rows: Rows, options: MemberOptions) => Rows;
  readonly membership?: (membership: Membership) => Membership;
  readonly clock?: Clock;
  readonly source?: (source: LeadershipSource, options: MemberOptions) => LeadershipSource;
  /** Ends a member's process once its source is closed. */
  readonly endsBy?: () => Promise<void>;
  /** What the closed sources of a process that only closes leave open. */
  readonly leaves?: string;
  /** Members compare rows with what they read, and the store compares nothing. */
  readonly isBlind?: true;
  /** Called when the cluster is disposed. */
  readonly dispose?: () => void;
}

/**
 * A blind client repeats a request after this time: once a successor leads, and not before. The
 * repetition of a renewal would make all members doubt the store, and wait. In T.
 */
const blindThresholds = 2.4;

export interface LooseCluster extends Cluster {
  keep(options: MemberOptions, clock?: Clock): Kept;
}

export function looseCluster(flaws: Flaws = {}, thresholdMs = 500): LooseCluster {
  const stores = new Map<string, LooseStore>();
  const lines = new Map<LeadershipSource, Line>();
  const storeOf = (group: string): LooseStore => {
    const store = stores.get(group) ?? new LooseStore();
    stores.set(group, store);
    return store;
  };
  const lineOf = (source: LeadershipSource): Line =>
    lines.get(source) ?? new Line(storeOf(source.group));
  const keep = (asked: MemberOptions, clock = flaws.clock): Kept => {
    const options = flaws.options?.(asked) ?? asked;
    const repeatedMs = blindThresholds * (options.thresholdMs ?? thresholdMs);
    const line = new Line(storeOf(options.group), flaws.isBlind && repeatedMs);
    const source = openMember(line, options, flaws, clock);
    const flawed = flaws.source?.(source, options) ?? source;
    lines.set(flawed, line);
    return { line, source: flawed };
  };
  return {
    name: 'loose',
    thresholdMs,
    announcesClaims: true,
    keepsPartitionsMax: true,
    keep,
    open: (options) => keep(options).source,
    async spawn({ group, options, work }) {
      const clock = stoppableClock();
      const kept = keep({ member: 'simulated', ...options, group }, clock);
      return simulatedProcess(kept, clock, work, flaws);
    },
    cut(source) {
      const line = lineOf(source);
      line.cut();
      return { [Symbol.dispose]: () => line.mend() };
    },
    storeFaults: Object.fromEntries(
      injectable.map((fault) => [
        fault,
        (source: LeadershipSource) => lineOf(source).inject(fault),
      ]),
    ),
    loseQuorum: (group) => loseQuorum(storeOf(group)),
    requests: () => [...stores.values()].reduce((sum, { requests }) => sum + requests, 0),
    contents: async (group) => [...storeOf(group).rows.rows].map((row) => JSON.stringify(row)),
    rollBack: (group) => rollBack(storeOf(group)),
    async deleteState(group) {
      const store = storeOf(group);
      for (const name of [...store.rows.rows.keys()]) store.rows.put(name, null);
      // The notification is late, as with a reader that polls.
      setTimeout(() => store.notify(), thresholdMs / 4);
    },
    putGarbage: async (group, partition) => putGarbage(storeOf(group), partition),
    putOtherRelease: async (group, ...record) => putOtherRelease(storeOf(group), ...record),
    [Symbol.asyncDispose]: async () => flaws.dispose?.(),
  };
}

function openMember(
  line: Line,
  options: MemberOptions,
  flaws: Flaws,
  clock: Clock | undefined,
): LeadershipSource {
  const resolved = resolveOptions(options, { keepsPartitionsMax: true });
  const { guarantees, start } = leaseBackendUnder(
    { ...leaseRules, ...flaws.rules },
    resolved,
    () => flaws.rows?.(line, options) ?? line,
    { assumes: [], showsRenewals: true },
  );
  const startFlawed = (host: Host): Membership => {
    const membership = start(flaws.host?.(host, options) ?? host);
    return flaws.membership?.(membership) ?? membership;
  };
  return openSource({ guarantees, start: startFlawed }, resolved, clock ? { clock } : {});
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
  return {
    [Symbol.dispose]() {
      store.isWithoutQuorum = false;
    },
  };
}

/** Restores the rows as they were before a renewal, as a restore of a backup does. */
async function rollBack(store: LooseStore): Promise<void> {
  const backup = [...store.rows.rows];
  const isRenewed = (): boolean =>
    backup.some(
      ([name, text]) => name.startsWith('session#') && store.rows.rows.get(name) !== text,
    );
  while (!isRenewed()) await pause(5);
  store.rows.restore(backup);
  store.notify();
}

/** Writes rows that no member writes: foreign rows, and half of a record. */
function putGarbage(store: LooseStore, partition: number): void {
  const name = `partition#${partition}`;
  const text = store.rows.rows.get(name) ?? '';
  store.rows.put('README', 'not a partition');
  store.rows.put('partition#x', '{"id":7}');
  store.rows.put(name, text.slice(0, text.length / 2));
  store.notify();
}

/** Lets a member of a later release own the partition, with a kind and fields that are unknown here. */
function putOtherRelease(
  store: LooseStore,
  partition: number,
  kind: string,
  thresholdMs: number,
): void {
  const name = `partition#${partition}`;
  const session = `later-${crypto.randomUUID()}/1`;
  const before = JSON.parse(store.rows.rows.get(name) ?? '{}');
  const { life, version, token } = before as { life: string; version: number; token: string };
  const later = { release: 99, proof: ['else'], kind };
  const owned = { life, version: version + 1, session, token: String(BigInt(token) + 1n) };
  store.rows.put(name, JSON.stringify({ ...later, ...owned }));
  const opened = { ...later, version: 0, thresholdMs, member: 'later' };
  store.rows.put(`session#${session}`, JSON.stringify(opened));
  store.notify();
}
