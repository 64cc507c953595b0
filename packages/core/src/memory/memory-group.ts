import { filter, firstValueFrom } from 'rxjs';
import { type OptionLimits, resolveOptions } from '../adapter/resolve-options.ts';
import type { Host, Membership } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { SourceOptions } from '../contract/options.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { ledgerBackendUnder } from '../ledger/backend.ts';
import { balanced } from '../ledger/balanced.ts';
import type { LedgerParts } from '../ledger/placement.ts';
import { type LedgerRules, ledgerRules } from '../ledger/protocol/rules.ts';
import { isWorker } from '../process/is-worker.ts';
import { openSource } from '../source/open-source.ts';
import { memoryLedger } from './ledger.ts';
import { type Link, memoryLink } from './link.ts';
import { type PlacementOverride, placementOverride } from './placement-override.ts';
import { memoryPresence } from './presence.ts';
import { seize } from './seize.ts';
import { memoryStore } from './store.ts';

/** A group within this thread, with controls for tests. */
export interface MemoryGroup {
  /**
   * Adds a member. Any number can join from one thread. A worker thread has groups of its own, and
   * its members warn in `health()`.
   */
  join(options?: Omit<SourceOptions, 'group' | 'load'>): LeadershipSource;
  /**
   * Makes `member` lead `partition`, in order: another leader drains first. Resolves once it leads.
   * From then on placement ignores this partition until `free`.
   */
  elect(member: string, partition: number): Promise<void>;
  /**
   * Ends `member`'s term in order, after its work has drained. Resolves once it is over. The
   * partition has no leader until `elect` or `free`.
   */
  revoke(member: string, partition: number): Promise<void>;
  /**
   * Ends `member`'s term at once, as if another member had taken over. The partition has no leader
   * until `elect` or `free`.
   */
  fence(member: string, partition: number): void;
  /** Returns the partition to the regular placement. */
  free(partition: number): void;
  /**
   * Disconnects `member` from the store, like a network partition: its writes get no answer and
   * take no effect, it receives no events, and the other members see it leave. It keeps leading until
   * its deadline.
   */
  cut(member: string): void;
  /** Reconnects `member` to the store; it reads everything again (L11). */
  mend(member: string): void;
}

interface Member {
  readonly source: LeadershipSource;
  readonly link: Link;
  readonly incarnation: string;
  readonly membership: Membership;
  readonly host: Host;
}

/**
 * The share of T after which the first member of an empty group claims twice as many partitions.
 */
const doublingShare = 1 / 100;

/**
 * The store lives in the same process as all members, so an empty register has no unknown holders
 * to wait for (L5). The first member claims one partition at once and the others step by step:
 * members that join a few turns of the event loop later find their share unclaimed (L9). An overridden
 * partition has only one candidate, which claims at once.
 */
function rulesUnder({ isOverridden }: PlacementOverride): LedgerRules {
  return {
    ...ledgerRules,
    emptyMs: () => 0,
    firstClaimMs: (partition, { thresholdMs }) =>
      isOverridden(partition) ? 0 : Math.log2(partition + 1) * doublingShare * thresholdMs,
  };
}

/**
 * At the default T, three members in one process settle 1,000 partitions within 10 T. With more
 * partitions the event loop is blocked for too long.
 */
const limits: OptionLimits = { partitions: { max: 1024, backend: 'memory' } };

/**
 * Groups with members. The set keeps them alive without other references, because their members
 * still lead.
 */
const inhabited = new Set<Group>();

/** A group. `memoryGroup` in `groups.ts` returns the one of a name. */
export class Group implements MemoryGroup {
  readonly #name: string;
  readonly #store = memoryStore();
  readonly #override = placementOverride();
  readonly #members = new Set<Member>();

  constructor(name: string) {
    this.#name = name;
  }

  join(options: Parameters<MemoryGroup['join']>[0] = {}): LeadershipSource {
    const resolved = resolveOptions({ ...options, group: this.#name }, limits);
    const link = memoryLink();
    const backend = ledgerBackendUnder(
      rulesUnder(this.#override),
      resolved,
      (host) => this.#parts(host, resolved, link),
      { assumes: [] },
    );
    return this.#enrol(link, (start) =>
      openSource(
        { guarantees: backend.guarantees, start: (host) => start(host, backend.start(host)) },
        resolved,
      ),
    );
  }

  async elect(member: string, partition: number): Promise<void> {
    const { source, incarnation, membership } = this.#findFor(partition, member);
    this.#override.set(partition, incarnation);
    membership.campaign(true, partition);
    const others = [...this.#members].filter(
      (other) => other.incarnation !== incarnation && other.source.held().has(partition),
    );
    await Promise.all(others.map((other) => other.membership.resign(partition)));
    await leads(source, partition);
  }

  async revoke(member: string, partition: number): Promise<void> {
    const { membership } = this.#findFor(partition, member);
    this.#override.set(partition, undefined);
    await membership.resign(partition);
  }

  fence(member: string, partition: number): void {
    const { incarnation, host } = this.#findFor(partition, member);
    this.#override.set(partition, undefined);
    // The record shows it as well, but its event arrives only in the next turn of the event loop.
    if (seize(this.#store, partition, incarnation)) host.lost(partition, 'superseded');
  }

  free(partition: number): void {
    this.#override.free(partition);
  }

  cut(member: string): void {
    this.#find(member).link.cut();
  }

  mend(member: string): void {
    this.#find(member).link.mend();
  }

  #parts(host: Host, { partitions, thresholdMs }: ResolvedOptions, link: Link): LedgerParts {
    const { clock, incarnation, random } = host;
    if (isWorker) host.warning('misconfigured-backend', workerSentence(this.#name));
    const backOff = { firstMs: thresholdMs / 20, lastMs: thresholdMs / 2, random };
    const placement = balanced(memoryPresence(this.#store, link, incarnation), {
      incarnation,
      partitions,
      clock,
      backOff,
    });
    return {
      ledger: memoryLedger(this.#store, link, clock),
      placement: this.#override.wrap(placement),
    };
  }

  /** Opens a source, and tracks its membership while it is open. */
  #enrol(
    link: Link,
    open: (start: (host: Host, membership: Membership) => Membership) => LeadershipSource,
  ): LeadershipSource {
    let member: Omit<Member, 'source' | 'link'> | undefined;
    const leave = (): void => {
      for (const one of this.#members)
        if (one.incarnation === member?.incarnation) this.#members.delete(one);
      if (this.#members.size === 0) inhabited.delete(this);
    };
    const source = open((host, membership) => {
      member = { incarnation: host.incarnation, membership, host };
      return {
        resign: (partition, abstainMs) => membership.resign(partition, abstainMs),
        campaign: (on, partition) => membership.campaign(on, partition),
        standBy: (partition, above) => membership.standBy?.(partition, above),
        exceed: (partition, token) => membership.exceed?.(partition, token),
        leaseMs: (partition) => membership.leaseMs?.(partition),
        close: () => membership.close().finally(leave),
      };
    });
    if (member) this.#members.add({ ...member, source, link });
    inhabited.add(this);
    return source;
  }

  #findFor(partition: number, name: string): Member {
    const found = this.#find(name);
    if (Number.isInteger(partition) && partition >= 0 && partition < found.source.partitions)
      return found;
    throw new LeadershipError(
      'invalid-options',
      `group "${this.#name}" has no partition ${partition}`,
    );
  }

  #find(name: string): Member {
    const found = [...this.#members].findLast(({ source }) => source.member === name);
    if (found) return found;
    throw new LeadershipError('invalid-options', `group "${this.#name}" has no member "${name}"`);
  }
}

/**
 * Returns the warning for a member in a worker thread, whose group is separate from that of the
 * same name in other threads.
 */
function workerSentence(name: string): string {
  return `group "${name}" is visible in this worker thread only: each thread has its own memory groups, and a group of that name in another thread elects its own leader; open it in one thread, or use the file backend`;
}

async function leads({ held$, member }: LeadershipSource, partition: number): Promise<void> {
  const closed = (): never => {
    throw new LeadershipError(
      'closed',
      `member "${member}" was closed before it led partition ${partition}`,
    );
  };
  await firstValueFrom(held$.pipe(filter((held) => held.has(partition)))).catch(closed);
}
