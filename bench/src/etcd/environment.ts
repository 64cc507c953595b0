import { localEtcd } from '@leadership/tools/etcd';
import { type Child, startChild, startNativeChild } from '@leadership/tools/processes';
import { goProgram } from '../process/go-program.ts';
import type { ElectionMessage } from '../process/member-messages.ts';
import type { Implementation, MemberOptions } from '../rows/fail-over.ts';

/** The input of a member process. */
export interface MemberInput extends MemberOptions {
  readonly endpoints: readonly string[];
}

const program = new URL('../programs/etcd-member.js', import.meta.url);

/** A process that runs one member. */
type Member = Child<ElectionMessage>;

/** Numbers of requests that the servers have answered. */
interface Requests {
  readonly reads: number;
  readonly writes: number;
}

/** Servers to measure on. Their writes wait for the disk. */
export interface Environment extends AsyncDisposable {
  readonly ours: Implementation<Member>;
  /** The election of etcd itself, if Go can build its member. */
  readonly elections: readonly Implementation<Member>[];
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
    ours: {
      name: 'etcd',
      start: (options) => startChild(program, { input: { ...options, endpoints } }),
    },
    elections: await electionsOn(endpoints, ttlSeconds),
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

/** The shortest TTL that a server with default settings grants. Seconds. */
const ttlSeconds = 2;

/**
 * Returns the election of etcd itself with this TTL in seconds; says why on stderr if its member
 * cannot be built.
 */
export async function electionsOn(
  endpoints: readonly string[],
  ttl: number,
): Promise<readonly Implementation<Member>[]> {
  const built = await goProgram('etcd-election');
  if (built.kind === 'missing') {
    process.stderr.write(`the election of etcd is left out: ${built.why}\n`);
    return [];
  }
  return [
    {
      name: `etcd's own election, client v3.5.21, TTL ${ttl} s${ttl === ttlSeconds ? ', the shortest that the server grants' : ''}`,
      start: ({ group, member, thresholdMs }) =>
        startNativeChild(built.path, [
          ...['-endpoints', endpoints.join(), '-prefix', `/${group}`, '-name', member],
          ...['-ttl', String(ttl), '-rest', `${abstainsShare * thresholdMs}ms`],
        ]),
    },
  ];
}

/** How long a member that has resigned does not stand again, as in our protocol (L9). In T. */
const abstainsShare = 2;

/** Returns how many requests of a method the servers have answered, with any outcome. */
function handled(metrics: string, method: string): number {
  const line = new RegExp(
    `^grpc_server_handled_total\\{.*grpc_method="${method}".*\\} (\\S+)$`,
    'gm',
  );
  return [...metrics.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0);
}
