// The tools of a check: members of a group of its own, waits, and faults.
import type { LeadershipSource, Role } from '@leadership/core';
import type { MemberEvent, ProcessMember } from '../processes/process-member.ts';
import { awaitCondition, type Condition, inTime } from './await-condition.ts';
import type { Cluster, MemberOptions, SpawnOptions, StoreFault } from './cluster.ts';
import { type Describe, describeProcess, describeSource } from './member-state.ts';
import { type StallMeter, stallMeter } from './stall.ts';
import { type StarvationDetector, starvationDetector } from './starvation-detector.ts';

/** The member options of a check. By default, the group is that of the context, and M is 1. */
type ContextMemberOptions = Partial<Omit<MemberOptions, 'member'>>;

/** One run of a check on a cluster. It has its own group and closes all its members on disposal. */
export interface CheckContext extends AsyncDisposable, Waits {
  readonly cluster: Cluster;
  readonly group: string;
  readonly thresholdMs: number;
  readonly timeoutMs: number;
  readonly stall: StallMeter;
  readonly starvation: StarvationDetector;
  /** Opens a member in this process; the context closes it on disposal. */
  open(member: string, options?: ContextMemberOptions): LeadershipSource;
  /** Starts a member in a separate process; the context kills it on disposal. */
  spawn(member: string, work: SpawnOptions['work'], group?: string): Promise<ProcessMember>;
  /** Cuts a member off from the store until the result is disposed. */
  cut(source: LeadershipSource): Disposable;
  /** Removes voters so that no quorum is left until the result is disposed. */
  loseQuorum(): Disposable;
  /** Injects a connection fault into a member until the result is disposed. */
  injectFault(source: LeadershipSource, fault: StoreFault): Disposable;
  /** Resolves once all of `sources` are ready. */
  allReady(sources: readonly LeadershipSource[]): Promise<void>;
  /** Resolves with the first of `sources` that leads the role. */
  leader(sources: readonly LeadershipSource[], key?: string | number): Promise<Leading>;
}

/** A leading member with its role and token. */
export interface Leading {
  readonly source: LeadershipSource;
  readonly role: Role;
  readonly token: bigint;
  /** The other members, of those among which this one was found. */
  readonly others: readonly LeadershipSource[];
}

/** The time limit of close in milliseconds, so that teardown does not hang on a broken source. */
const teardownMs = 2_000;

/** Opens the context of a run of the check `promise` on `cluster`. */
export function openContext(cluster: Cluster, promise: string): CheckContext {
  const { thresholdMs, timeoutMs = 40_000 + 20 * thresholdMs } = cluster;
  const group = `${promise}-${crypto.randomUUID().slice(0, 8)}`;
  const stall = stallMeter(thresholdMs);
  const starvation = starvationDetector(thresholdMs, stall);
  const opened: AsyncDisposable[] = [];
  const sources: LeadershipSource[] = [];
  const members: Describe[] = [];
  const waits = waitsOf(timeoutMs, () => [
    ...members.map((describe) => describe()),
    machineState(starvation, stall),
  ]);
  return {
    cluster,
    group,
    thresholdMs,
    timeoutMs,
    stall,
    starvation,
    open(member, options = {}) {
      const source = cluster.open({
        partitions: 1,
        thresholdMs,
        group,
        log: false,
        ...options,
        member,
      });
      sources.push(source);
      members.push(describeSource(source));
      starvation.watch(source);
      opened.push({
        [Symbol.asyncDispose]: () => source.close({ signal: AbortSignal.timeout(teardownMs) }),
      });
      return source;
    },
    async spawn(member, work, inGroup = group) {
      if (cluster.spawn === undefined) throw new Error(`${cluster.name} has no member processes`);
      const spawned = await cluster.spawn({
        group: inGroup,
        work,
        options: { partitions: 1, thresholdMs, member },
      });
      opened.push(spawned);
      members.push(describeProcess(spawned));
      return spawned;
    },
    cut(source) {
      if (cluster.cut === undefined) throw new Error(`${cluster.name} cannot cut a member off`);
      starvation.spare(source);
      return cluster.cut(source);
    },
    loseQuorum: () => withoutQuorum(cluster, starvation, sources, group),
    injectFault: (source, fault) => injectStoreFault(cluster, starvation, source, fault),
    ...waits,
    async allReady(sources) {
      const ready = sources.map((one) => waits.settled(`${one.member} is ready`, one.ready()));
      await Promise.all(ready);
    },
    leader: (sources, key = 0) =>
      waits.until(`one of ${sources.map(({ member }) => member).join(', ')} leads`, () =>
        leadingNow(sources, key),
      ),
    async [Symbol.asyncDispose]() {
      starvation[Symbol.dispose]();
      stall[Symbol.dispose]();
      await disposeAll(opened);
    },
  };
}

async function disposeAll(opened: readonly AsyncDisposable[]): Promise<void> {
  const ends = opened.map((one) => Promise.resolve(one[Symbol.asyncDispose]()));
  await Promise.allSettled(ends.map((end) => inTime(() => 'a member closes', end, 2 * teardownMs)));
}

/** Describes what the machine did to the check, for the message of a time-out. */
function machineState({ isStarved }: StarvationDetector, { longestMs }: StallMeter): string {
  const stalled = `the longest stall of this process was ${Math.round(longestMs)} ms`;
  return `${stalled}; the machine was ${isStarved ? '' : 'not '}starved`;
}

function injectStoreFault(
  cluster: Cluster,
  starvation: StarvationDetector,
  source: LeadershipSource,
  fault: StoreFault,
): Disposable {
  const inject = cluster.storeFaults?.[fault];
  if (inject === undefined) throw new Error(`${cluster.name} cannot inject ${fault}`);
  starvation.spare(source);
  return inject(source);
}

function withoutQuorum(
  cluster: Cluster,
  starvation: StarvationDetector,
  sources: readonly LeadershipSource[],
  group: string,
): Disposable {
  if (cluster.loseQuorum === undefined) throw new Error(`${cluster.name} has no quorum to lose`);
  for (const source of sources) starvation.spare(source);
  return cluster.loseQuorum(group);
}

/** Returns the first of `sources` that currently leads the role, or `undefined`. */
export function leadingNow(
  sources: readonly LeadershipSource[],
  key: string | number = 0,
): Leading | undefined {
  for (const source of sources) {
    const role = source.role(key);
    const term = role.term();
    if (term)
      return { source, role, token: term.token, others: sources.filter((one) => one !== source) };
  }
  return undefined;
}

/**
 * The waits of a check, all with the same time limit. The message of a time-out contains the state
 * of every member.
 */
interface Waits {
  /** Polls a condition and resolves with its first result. */
  until<T>(what: string, ask: Condition<T>): Promise<T>;
  /** Settles like `promise`. */
  settled<T>(what: string, promise: Promise<T>): Promise<T>;
  /**
   * Resolves with the first event in the member's log that matches. Rejects also once the process
   * has ended.
   */
  logged(member: ProcessMember, matches: (event: MemberEvent) => boolean): Promise<MemberEvent>;
}

/** Creates waits that reject after `timeoutMs`. `states` returns one line for each member. */
function waitsOf(timeoutMs: number, states: () => readonly string[]): Waits {
  const withStates = (what: string): string => [what, ...states()].join('\n  ');
  return {
    until: (what, ask) => awaitCondition(() => withStates(what), ask, timeoutMs),
    settled: (what, promise) => inTime(() => withStates(what), promise, timeoutMs),
    logged: (member, matches) =>
      member.until(matches, timeoutMs).catch((cause: unknown) => {
        const message = cause instanceof Error ? cause.message : String(cause);
        throw new Error(withStates(message), { cause });
      }),
  };
}
