// The interface of the faults between a member and its store, for the conformance suite.
import { EventEmitter, once } from 'node:events';
import { LeadershipError, type LeadershipSource } from '@leadership/core';
import type { Cluster, MemberOptions, StoreFault } from '../conformance/cluster.ts';
import { activeFaults } from './active-faults.ts';

/**
 * A fault-injection layer between one member and its store. The cluster sends every request of the
 * member through it.
 */
export interface StoreProxy {
  /**
   * A request that reads. `what` says which one: a stale read is answered what the same one was
   * answered before.
   */
  read<T>(what: string, request: () => Promise<T>): Promise<T>;
  /**
   * Sends a streaming read. It fails when reads are cut or rejected, and yields nothing while reads
   * hang.
   */
  stream<T>(open: (signal: AbortSignal) => AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T>;
  /** Sends a write request. */
  write<T>(request: () => Promise<T>): Promise<T>;
  /** Sends a request that writes, and reads in the same step. It meets the faults of both. */
  exchange<T>(request: () => Promise<T>): Promise<T>;
  /** Injects a fault until the result is disposed. */
  inject(fault: StoreFault | 'cut'): Disposable;
  /** The number of requests sent so far. */
  readonly requests: number;
}

type Hindrance = StoreFault | 'cut';

/** Creates a layer without faults. */
export function storeProxy(): StoreProxy {
  const way = condition();
  const answers = new Map<string, unknown>();
  const late: (() => Promise<unknown>)[] = [];
  let requests = 0;
  const written = async <T>(request: () => Promise<T>): Promise<T> => {
    way.assertUnlike('writes-cut');
    if (way.has('late-writes')) late.push(request);
    const answer = way.has('late-writes') ? undefined : { given: await request() };
    if (answer === undefined || way.has('lost-replies'))
      throw new LeadershipError('unreachable', 'no reply came in time');
    return answer.given;
  };
  return {
    async read(what, request) {
      requests += 1;
      await way.readable();
      if (way.has('stale-reads') && answers.has(what))
        return answers.get(what) as Awaited<ReturnType<typeof request>>;
      const answer = await request();
      answers.set(what, answer);
      return answer;
    },
    async *stream(open, signal) {
      requests += 1;
      await way.readable();
      using broken = way.broken();
      for await (const item of open(AbortSignal.any([signal, broken.signal]))) {
        await way.readable();
        yield item;
      }
      if (!signal.aborted) await way.readable();
    },
    async write(request) {
      requests += 1;
      return written(request);
    },
    async exchange(request) {
      requests += 1;
      await way.readable();
      return written(request);
    },
    inject(fault) {
      const injected = way.addFault(fault);
      return {
        [Symbol.dispose]() {
          injected[Symbol.dispose]();
          if (fault === 'late-writes')
            for (const request of late.splice(0)) void request().catch(() => undefined);
        },
      };
    },
    get requests() {
      return requests;
    },
  };
}

/** The active faults. */
interface Condition {
  has(fault: Hindrance): boolean;
  addFault(fault: Hindrance): Disposable;
  /** Throws where every request fails, or those that `fault` is about. */
  assertUnlike(fault: 'reads-cut' | 'writes-cut'): void;
  /** Waits while reads hang. Rejects where they fail. */
  readable(): Promise<void>;
  /** A signal that aborts when reads begin to fail. */
  broken(): Disposable & { readonly signal: AbortSignal };
}

function condition(): Condition {
  const changes = new EventEmitter().setMaxListeners(0);
  const faults = activeFaults<Hindrance>(() => changes.emit('change'));
  const { all } = faults;
  const assertUnlike = (fault: Hindrance): void => {
    if (all.has('expired-credentials'))
      throw new LeadershipError('unauthorized', 'the credentials have expired');
    if (all.has('cut') || all.has(fault))
      throw new LeadershipError('unreachable', 'the store cannot be reached');
  };
  const isFailing = (): boolean =>
    (['expired-credentials', 'cut', 'reads-cut'] as const).some((fault) => all.has(fault));
  return {
    has: (fault) => all.has(fault),
    addFault: (fault) => faults.begin(fault),
    assertUnlike,
    async readable() {
      while (all.has('hung-reads')) await once(changes, 'change');
      assertUnlike('reads-cut');
    },
    broken() {
      const broken = new AbortController();
      const look = (): void => {
        if (isFailing()) broken.abort();
      };
      changes.on('change', look);
      return { signal: broken.signal, [Symbol.dispose]: () => void changes.off('change', look) };
    },
  };
}

const storeFaultNames: readonly StoreFault[] = [
  'stale-reads',
  'lost-replies',
  'late-writes',
  'reads-cut',
  'writes-cut',
  'hung-reads',
  'expired-credentials',
];

/** A member that a cluster has opened, with the proxy between it and its store. */
export interface ProxiedMember {
  /** The member. */
  readonly source: LeadershipSource;
  /** Every request of the member passes it. */
  readonly proxy: StoreProxy;
  /** Cuts the member's connections until the result is disposed. Default: its requests fail. */
  cut?(): Disposable;
}

/**
 * Returns the methods of a cluster that opens members by `openMember` and injects faults between
 * them and their store, to be spread into the cluster.
 */
export function proxiedMembers(
  openMember: (options: MemberOptions) => ProxiedMember,
): Required<Pick<Cluster, 'open' | 'cut' | 'storeFaults' | 'requests'>> {
  const members = new Map<LeadershipSource, ProxiedMember>();
  const memberOf = (source: LeadershipSource): ProxiedMember => {
    const member = members.get(source);
    if (member === undefined) throw new RangeError(`${source.member} was opened elsewhere`);
    return member;
  };
  const faults = storeFaultNames.map(
    (fault) => [fault, (source: LeadershipSource) => memberOf(source).proxy.inject(fault)] as const,
  );
  return {
    open(options) {
      const member = openMember(options);
      members.set(member.source, member);
      return member.source;
    },
    cut(source) {
      const member = memberOf(source);
      return member.cut?.() ?? member.proxy.inject('cut');
    },
    storeFaults: Object.fromEntries(faults),
    requests: () => [...members.values()].reduce((sum, { proxy }) => sum + proxy.requests, 0),
  };
}
