import { LeadershipError, type LeadershipSource } from '@leadership/core';
import type { Cluster, WayFault } from '../conformance/cluster.ts';

/** One member's way to its store, over which a cluster sends every request of that member: here it can be hampered. */
export interface StoreWay {
  /** A request that reads. `what` says which one: a stale read is answered what the same one was answered before. */
  read<T>(what: string, request: () => Promise<T>): Promise<T>;
  /** A request that writes. */
  write<T>(request: () => Promise<T>): Promise<T>;
  /** Hampers the way until the answer is disposed. */
  hamper(fault: WayFault | 'cut'): Disposable;
  /** How many requests were sent. */
  readonly requests: number;
}

/** A way that is well. */
export function storeWay(): StoreWay {
  const faults = new Set<WayFault | 'cut'>();
  const answers = new Map<string, unknown>();
  const late: (() => Promise<unknown>)[] = [];
  const mended = new Set<() => void>();
  let requests = 0;
  const insistUnlike = (...stopping: readonly (WayFault | 'cut')[]): void => {
    requests += 1;
    if (faults.has('expired-credentials')) throw new LeadershipError('unauthorized', 'the credentials have expired');
    if (stopping.some((fault) => faults.has(fault))) throw new LeadershipError('unreachable', 'the store cannot be reached');
  };
  return {
    async read(what, request) {
      insistUnlike('cut', 'reads-cut');
      while (faults.has('hung-reads')) await new Promise<void>((resolve) => mended.add(resolve));
      if (faults.has('stale-reads') && answers.has(what)) return answers.get(what) as Awaited<ReturnType<typeof request>>;
      const answer = await request();
      answers.set(what, answer);
      return answer;
    },
    async write(request) {
      insistUnlike('cut', 'writes-cut');
      if (faults.has('late-writes')) late.push(request);
      const answer = faults.has('late-writes') ? undefined : { given: await request() };
      if (answer === undefined || faults.has('lost-replies')) throw new LeadershipError('unreachable', 'no reply came in time');
      return answer.given;
    },
    hamper(fault) {
      faults.add(fault);
      return {
        [Symbol.dispose]() {
          faults.delete(fault);
          for (const go of mended) go();
          mended.clear();
          if (fault === 'late-writes') for (const request of late.splice(0)) void request().catch(() => undefined);
        },
      };
    },
    get requests() {
      return requests;
    },
  };
}

const wayFaults: readonly WayFault[] = [
  'stale-reads',
  'lost-replies',
  'late-writes',
  'reads-cut',
  'writes-cut',
  'hung-reads',
  'expired-credentials',
];

/** What a cluster can do where every member's requests go over a way of its own: to be spread into the cluster. */
export function hamperedWays(wayOf: (source: LeadershipSource) => StoreWay): Required<Pick<Cluster, 'cut' | 'ways'>> {
  const ways = wayFaults.map((fault) => [fault, (source: LeadershipSource) => wayOf(source).hamper(fault)] as const);
  return { cut: (source) => wayOf(source).hamper('cut'), ways: Object.fromEntries(ways) };
}
