import { filter, firstValueFrom } from 'rxjs';
import type { Host, Membership } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { SourceOptions } from '../contract/options.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { type LedgerParts, ledgerBackendUnder } from '../ledger/backend.ts';
import { balanced } from '../ledger/balanced.ts';
import { type LedgerRules, ledgerRules } from '../ledger/rules.ts';
import { isWorker } from '../process/is-worker.ts';
import { openSource } from '../source/open-source.ts';
import { type OptionLimits, resolveOptions } from '../source/resolve-options.ts';
import { memoryLedger } from './ledger.ts';
import { type Link, memoryLink } from './link.ts';
import { memoryPresence } from './presence.ts';
import { seize } from './seize.ts';
import { steering } from './steering.ts';
import { memoryStore } from './store.ts';

/** What a member of a memory group may say: its group is given. */
export type MemoryOptions = Omit<SourceOptions, 'group' | 'load'>;

/** A group within this thread, and the hand that steers it in tests. */
export interface MemoryGroup {
  /** One more member. Any number may join from one thread; a worker thread has groups of its own, and its members warn in `health()`. */
  join(options?: MemoryOptions): LeadershipSource;
  /** Makes `member` lead `partition`, in order: another leader drains first. Resolves once it leads; from here on only your word decides. */
  elect(member: string, partition: number): Promise<void>;
  /** Ends `member`'s term in order: its work drains. Resolves once it is over; nobody leads until you say who. */
  revoke(member: string, partition: number): Promise<void>;
  /** Ends `member`'s term at once, as if another had been seen to lead. Nobody leads until you say who. */
  fence(member: string, partition: number): void;
  /** The partition is placed as ever again. */
  free(partition: number): void;
  /**
   * Severs `member` from the store, as a network does: its writes get no answer and take no effect, no news reaches it, and the
   * others see it go. It believes until its deadline, no longer.
   */
  cut(member: string): void;
  /** `member` reaches the store again, and reads everything anew (L11). */
  mend(member: string): void;
}

interface Member {
  readonly source: LeadershipSource;
  readonly link: Link;
  readonly incarnation: string;
  readonly membership: Membership;
  readonly host: Host;
}

/** Nothing outlives the process that the registers live in: an empty one has no holders to wait for (L5). */
const rules: LedgerRules = { ...ledgerRules, emptyMs: () => 0 };

/** Three members in one process settle 1,000 partitions within 10 T at the default T; with more the event loop stalls for too long. */
const limits: OptionLimits = { partitions: { max: 1024, backend: 'memory' } };

/** Groups with members in them: they live on when nobody holds them, for their members lead on. */
const inhabited = new Set<Group>();

/** A group of its own. `memoryGroup` in `groups.ts` finds the one of that name. */
export class Group implements MemoryGroup {
  readonly #name: string;
  readonly #store = memoryStore();
  readonly #steering = steering();
  readonly #members = new Set<Member>();

  constructor(name: string) {
    this.#name = name;
  }

  join(options: MemoryOptions = {}): LeadershipSource {
    const resolved = resolveOptions({ ...options, group: this.#name }, limits);
    const link = memoryLink();
    const backend = ledgerBackendUnder(rules, resolved, (host) => this.#parts(host, resolved, link), { assumes: [] });
    return this.#enrol(link, (start) =>
      openSource({ guarantees: backend.guarantees, start: (host) => start(host, backend.start(host)) }, resolved),
    );
  }

  async elect(member: string, partition: number): Promise<void> {
    const { source, incarnation, membership } = this.#findFor(partition, member);
    this.#steering.steer(partition, incarnation);
    membership.campaign(true, partition);
    const others = [...this.#members].filter((other) => other.incarnation !== incarnation && other.source.held().has(partition));
    await Promise.all(others.map((other) => other.membership.resign(partition)));
    await leads(source, partition);
  }

  async revoke(member: string, partition: number): Promise<void> {
    const { membership } = this.#findFor(partition, member);
    this.#steering.steer(partition, undefined);
    await membership.resign(partition);
  }

  fence(member: string, partition: number): void {
    const { incarnation, host } = this.#findFor(partition, member);
    this.#steering.steer(partition, undefined);
    // The record says so too, but news of it take a turn of the event loop to come.
    if (seize(this.#store, partition, incarnation)) host.lost(partition, 'superseded');
  }

  free(partition: number): void {
    this.#steering.free(partition);
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
    const placement = balanced(memoryPresence(this.#store, link, incarnation), { incarnation, partitions, clock, backOff });
    return { ledger: memoryLedger(this.#store, link, clock), placement: this.#steering.steered(placement) };
  }

  /** Opens a source, and knows its membership for as long as it is open. */
  #enrol(link: Link, open: (start: (host: Host, membership: Membership) => Membership) => LeadershipSource): LeadershipSource {
    let member: Omit<Member, 'source' | 'link'> | undefined;
    const leave = (): void => {
      for (const one of this.#members) if (one.incarnation === member?.incarnation) this.#members.delete(one);
      if (this.#members.size === 0) inhabited.delete(this);
    };
    const source = open((host, membership) => {
      member = { incarnation: host.incarnation, membership, host };
      return {
        resign: (partition, abstainMs) => membership.resign(partition, abstainMs),
        campaign: (on, partition) => membership.campaign(on, partition),
        standBy: (partition, above) => membership.standBy?.(partition, above),
        close: () => membership.close().finally(leave),
      };
    });
    if (member) this.#members.add({ ...member, source, link });
    inhabited.add(this);
    return source;
  }

  #findFor(partition: number, name: string): Member {
    const found = this.#find(name);
    if (Number.isInteger(partition) && partition >= 0 && partition < found.source.partitions) return found;
    throw new LeadershipError('invalid-options', `group "${this.#name}" has no partition ${partition}`);
  }

  #find(name: string): Member {
    const found = [...this.#members].findLast(({ source }) => source.member === name);
    if (found) return found;
    throw new LeadershipError('invalid-options', `group "${this.#name}" has no member "${name}" to steer`);
  }
}

/** Each thread has groups of its own: a group of that name in another thread elects beside this one. */
function workerSentence(name: string): string {
  return `group "${name}" is known to this worker thread alone: a memory group is one thread's, and one of that name elsewhere in the process has a leader of its own; open it in one thread, or use the file backend`;
}

async function leads({ held$, member }: LeadershipSource, partition: number): Promise<void> {
  const closed = (): never => {
    throw new LeadershipError('closed', `member "${member}" was closed before it led partition ${partition}`);
  };
  await firstValueFrom(held$.pipe(filter((held) => held.has(partition)))).catch(closed);
}
