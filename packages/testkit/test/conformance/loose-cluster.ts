// A cluster in which every part can be replaced by a wrong one. Without replacements it passes
// every check.
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
import { type EditableRows, rowFaults } from '../../src/faults.ts';
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
    ...rowFaults(editable(storeOf)),
    async deleteState(group) {
      const store = storeOf(group);
      for (const name of [...store.rows.rows.keys()]) store.rows.put(name, null);
      // The notification is late, as with a reader that polls.
      setTimeout(() => store.notify(), thresholdMs / 4);
    },
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

/** Returns the rows of the groups as operators edit them. */
function editable(storeOf: (group: string) => LooseStore): EditableRows {
  return {
    read: async (group) => new Map(storeOf(group).rows.rows),
    async write(group, texts, only) {
      const store = storeOf(group);
      if (only !== undefined && store.rows.rows.get(only[0]) !== only[1]) return false;
      for (const [name, text] of texts) store.rows.put(name, text);
      store.notify();
      return true;
    },
    async restore(group, during) {
      const store = storeOf(group);
      const backup = [...store.rows.rows];
      await during();
      store.rows.restore(backup);
      store.notify();
    },
  };
}
