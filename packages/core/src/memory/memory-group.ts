import { filter, firstValueFrom } from 'rxjs';
import { type OptionLimits, resolveOptions } from '../adapter/resolve-options.ts';
import type { Host, Membership } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { SourceOptions } from '../contract/options.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { leaseBackendUnder } from '../lease/backend.ts';
import { type LeaseRules, leaseRules } from '../lease/rules.ts';
import type { LeaseMembership } from '../lease/shell.ts';
import { isWorker } from '../process/is-worker.ts';
import { openSource } from '../source/open-source.ts';
import { cutOff, MemoryRows, MemoryStore } from './memory-rows.ts';
import { seize } from './seize.ts';

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
  /** Reconnects `member` to the store; it reads everything again (M1). */
  mend(member: string): void;
}

interface Member {
  readonly source: LeadershipSource;
  readonly rows: MemoryRows;
  readonly incarnation: string;
  readonly membership: LeaseMembership;
  readonly host: Host;
}

/**
 * The share of T after which the first member of an empty group claims twice as many partitions.
 */
const doublingShare = 1 / 100;

/**
 * The store lives in the same process as all members, so an empty row has no unknown owners to wait
 * for (M5). The first member claims one partition at once and the others step by step: members that
 * join a few turns of the event loop later find their share unclaimed (L9).
 */
const rules: LeaseRules = {
  ...leaseRules,
  emptyMs: () => 0,
  firstClaimMs: (partition, thresholdMs) => Math.log2(partition + 1) * doublingShare * thresholdMs,
};

/** More partitions were not measured: three members in one process lead these after 2 T. */
const limits: OptionLimits = {
  partitions: { max: 10_000, backend: 'memory' },
  keepsPartitionsMax: true,
};

/**
 * Groups with members. The set keeps them alive without other references, because their members
 * still lead.
 */
const inhabited = new Set<Group>();

/** A group. `memoryGroup` in `groups.ts` returns the one of a name. */
export class Group implements MemoryGroup {
  readonly #name: string;
  readonly #store = new MemoryStore();
  /** The incarnations that lead by command, or that no member does, by partition. */
  readonly #commands = new Map<number, string | undefined>();
  readonly #members = new Set<Member>();
  /** The reports of the members that are cut off. */
  readonly #cuts = new Map<MemoryRows, Disposable>();

  constructor(name: string) {
    this.#name = name;
  }

  join(options: Parameters<MemoryGroup['join']>[0] = {}): LeadershipSource {
    const resolved = resolveOptions({ ...options, group: this.#name }, limits);
    const rows = new MemoryRows(this.#store);
    const backend = leaseBackendUnder(rules, resolved, () => rows, { assumes: [], sightMs: 0 });
    return this.#enrol(rows, (start) =>
      openSource(
        { guarantees: backend.guarantees, start: (host) => start(host, backend.start(host)) },
        resolved,
      ),
    );
  }

  async elect(member: string, partition: number): Promise<void> {
    const { source, incarnation, membership } = this.#findFor(partition, member);
    this.#command(partition, incarnation);
    membership.campaign(true, partition);
    await leads(source, partition);
  }

  async revoke(member: string, partition: number): Promise<void> {
    const { membership } = this.#findFor(partition, member);
    this.#command(partition, undefined);
    await membership.resign(partition);
  }

  fence(member: string, partition: number): void {
    const { incarnation, host } = this.#findFor(partition, member);
    if (!seize(this.#store, partition, incarnation)) return;
    this.#command(partition, undefined);
    // The row shows it as well, but it is read only in a later turn of the event loop.
    host.lost(partition, 'superseded');
  }

  free(partition: number): void {
    this.#commands.delete(partition);
    for (const { membership } of this.#members) membership.prefer(partition, 'placement');
  }

  cut(member: string): void {
    const { rows, host } = this.#find(member);
    if (rows.isCut) return;
    rows.cut();
    this.#cuts.set(rows, host.trouble('unreachable', cutOff));
  }

  mend(member: string): void {
    const { rows } = this.#find(member);
    rows.mend();
    this.#cuts.get(rows)?.[Symbol.dispose]();
    this.#cuts.delete(rows);
  }

  /** Lets that member alone lead the partition, whatever the placement says, or none. */
  #command(partition: number, elected: string | undefined): void {
    this.#commands.set(partition, elected);
    for (const { membership, incarnation } of this.#members)
      membership.prefer(partition, incarnation === elected ? 'self' : 'nobody');
  }

  /** Opens a source, and tracks its membership while it is open. */
  #enrol(
    rows: MemoryRows,
    open: (start: (host: Host, membership: LeaseMembership) => Membership) => LeadershipSource,
  ): LeadershipSource {
    let member: Omit<Member, 'source' | 'rows'> | undefined;
    const leave = (): void => {
      for (const one of this.#members)
        if (one.incarnation === member?.incarnation) this.#members.delete(one);
      this.#cuts.delete(rows);
      if (this.#members.size === 0) inhabited.delete(this);
    };
    const source = open((host, membership) => {
      member = { incarnation: host.incarnation, membership, host };
      if (isWorker) host.warning('misconfigured-backend', workerSentence(this.#name));
      for (const partition of this.#commands.keys()) membership.prefer(partition, 'nobody');
      return {
        resign: (partition, abstainMs) => membership.resign(partition, abstainMs),
        campaign: (on, partition) => membership.campaign(on, partition),
        standBy: (partition, above) => membership.standBy?.(partition, above),
        exceed: (partition, token) => membership.exceed?.(partition, token),
        publish: (publication) => membership.publish?.(publication),
        leaseMs: (partition) => membership.leaseMs?.(partition),
        replaceText: async (name, next) => membership.replaceText?.(name, next),
        close: () => membership.close().finally(leave),
      };
    });
    if (member) this.#members.add({ ...member, source, rows });
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
