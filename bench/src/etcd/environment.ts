import { localEtcd } from '@leadership/tools/etcd';
import { type Child, startChild } from '@leadership/tools/processes';
import type { ElectionMessage } from '../process/member-messages.ts';

/** The input of a member process. */
export interface MemberInput {
  readonly endpoints: readonly string[];
  readonly group: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

const program = new URL('../programs/etcd-member.js', import.meta.url);

/** A process that runs one member. */
export type Member = Child<ElectionMessage>;

/** Numbers of requests that the servers have answered. */
interface Requests {
  readonly reads: number;
  readonly writes: number;
}

/** Servers to measure on. Their writes wait for the disk. */
export interface Environment extends AsyncDisposable {
  /** Starts a member. */
  start(options: Omit<MemberInput, 'endpoints'>): Member;
  /** Measures round trips: a durable write of one key. Milliseconds. */
  trips(count: number): Promise<readonly number[]>;
  /** Returns the number of requests so far: reads of a range, and transactions. */
  requests(): Promise<Requests>;
}

/** Starts one server. */
export async function openEnvironment(): Promise<Environment> {
  const local = await localEtcd({ fsync: true });
  const { endpoints, servers } = local;
  const body = JSON.stringify({ key: 'dHJpcA==', value: 'dHJpcA==' });
  return {
    start: (options) => startChild(program, { input: { ...options, endpoints } }),
    async trips(count) {
      const trips: number[] = [];
      for (let trip = 0; trip < count; trip += 1) {
        const began = performance.now();
        await (await fetch(`http://${endpoints[0]}/v3/kv/put`, { method: 'POST', body })).text();
        trips.push(performance.now() - began);
      }
      return trips;
    },
    async requests() {
      const pages = await Promise.all(
        servers.map(async ({ metricsUrl }) => (await fetch(`${metricsUrl}/metrics`)).text()),
      );
      const metrics = pages.join('\n');
      return { reads: handled(metrics, 'Range'), writes: handled(metrics, 'Txn') };
    },
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  };
}

/** Returns how many requests of a method the servers have answered, with any outcome. */
function handled(metrics: string, method: string): number {
  const line = new RegExp(
    `^grpc_server_handled_total\\{.*grpc_method="${method}".*\\} (\\S+)$`,
    'gm',
  );
  return [...metrics.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0);
}
