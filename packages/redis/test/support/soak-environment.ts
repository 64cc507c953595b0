import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import { type LocalRedis, type LocalSentinel, localSentinel } from '@leadership/tools/redis';
import {
  type EnvironmentFault,
  type LossyPeriod,
  memberProxies,
  networkFaults,
  type SoakContext,
  type SoakEnvironment,
} from '@leadership/tools/soak';

const group = 'soak';
/** A starved machine needs this long until Sentinel has settled a fail-over. Milliseconds. */
const patienceMs = 180_000;
/** How long it may have no primary before an operator acts. Milliseconds. */
const withoutPrimaryMs = 45_000;

/**
 * A primary, its replica and Sentinel, to which every member has proxies of its own. A fail-over
 * may lose writes that the primary has acknowledged.
 */
export async function redisEnvironment(
  members: readonly string[],
  minReplicas: number,
  thresholdMs: number,
): Promise<SoakEnvironment> {
  const servers = await localSentinel();
  const { sentinel, master } = servers;
  const targets = [servers.primary, servers.replica].map(({ port }) => ({ port }));
  const proxies = await memberProxies(members, targets);
  const lossy: LossyPeriod[] = [];
  const watch = watched(servers, lossy, thresholdMs);
  const name = `Redis with Sentinel, minReplicas ${minReplicas}`;
  return {
    ...{ name, lossy },
    memberOptions(member) {
      const module = new URL('by-sentinel.mjs', import.meta.url);
      const natMap = Object.fromEntries(
        proxies
          .of(member)
          .map(({ port }, index) => [
            `127.0.0.1:${targets[index]?.port}`,
            { host: '127.0.0.1', port },
          ]),
      );
      const sentinels = [{ host: sentinel.host, port: sentinel.port }];
      module.searchParams.set('config', JSON.stringify({ sentinels, name: master, natMap }));
      return {
        url: `redis:?group=${group}&minReplicas=${minReplicas}`,
        module: module.href,
      };
    },
    memberFaults: networkFaults((member) => proxies.of(member)),
    environmentFaults: environmentFaults(servers, lossy),
    environmentFaultEvery: 20,
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      await proxies[Symbol.asyncDispose]();
      await servers[Symbol.asyncDispose]();
    },
  };
}

function environmentFaults(
  installed: LocalSentinel,
  lossy: LossyPeriod[],
): SoakEnvironment['environmentFaults'] {
  const { primary: first, replica: second } = installed;
  const servers = [first, second];
  /**
   * Injects a fault into the primary, and notes the period until it is settled: a member may then
   * believe for one more T what the primary had acknowledged.
   */
  const toPrimary =
    (
      fault: string,
      inject: (primary: LocalRedis, context: SoakContext) => Promise<void>,
    ): EnvironmentFault =>
    async (context) => {
      const primary = await primaryOf(servers);
      const period = periodOf(fault, process.hrtime.bigint());
      lossy.push(period);
      await inject(primary, context);
      await settled(installed);
      await pause(context.settings.thresholdMs);
      period.toNs = process.hrtime.bigint();
    };
  const replaced =
    (inject: (primary: LocalRedis) => Promise<void>) =>
    async (primary: LocalRedis): Promise<void> => {
      await inject(primary);
      const other = primary === first ? second : first;
      await eventually('Sentinel promotes the replica', () => hasRole(other, 'master'), {
        withinMs: patienceMs,
      });
    };
  const resume = (server: LocalRedis): void => server.signal('SIGCONT');
  const faults = {
    'primary killed, replica promoted': async (primary: LocalRedis) => {
      await replaced((server) => server.kill())(primary);
      await primary.start();
    },
    'primary stopped, replica promoted': async (primary: LocalRedis) => {
      await replaced(async (server) => server.signal('SIGSTOP'))(primary);
      resume(primary);
    },
    'primary killed and restarted': async (primary: LocalRedis) => {
      await primary.kill();
      await primary.start();
    },
    'primary stopped for less than T': async (primary: LocalRedis, context: SoakContext) => {
      primary.signal('SIGSTOP');
      await pause(context.rng.between(0, 0.2) * context.settings.thresholdMs);
      resume(primary);
    },
  };
  return {
    ...Object.fromEntries(
      Object.entries(faults).map(([name, inject]) => [name, toPrimary(name, inject)]),
    ),
    async 'key deleted'() {
      await (await primaryOf(servers)).ask('DEL', `leadership:{${group}}`);
    },
  };
}

function periodOf(fault: string, fromNs: bigint): LossyPeriod {
  return { fault, fromNs, toNs: undefined };
}

/** Interval of the looks at the servers. Milliseconds. */
const lookMs = 100;

/**
 * Notes the periods in which the servers are not one primary with its replica, whatever the reason:
 * Sentinel may replace a primary seconds after a fault, when it has long been restarted. A member
 * may believe for T longer what a primary acknowledged.
 */
function watched(
  servers: LocalSentinel,
  lossy: LossyPeriod[],
  thresholdMs: number,
): AsyncDisposable {
  const stop = new AbortController();
  const watch = async (): Promise<void> => {
    let goodAtNs = process.hrtime.bigint();
    let period: LossyPeriod | undefined;
    while (!stop.signal.aborted) {
      const lookedAtNs = process.hrtime.bigint();
      if (await isOnePrimary(servers)) {
        goodAtNs = lookedAtNs;
        period = undefined;
      } else {
        if (period === undefined) {
          period = periodOf('the servers were not one primary with its replica', goodAtNs);
          lossy.push(period);
        }
        period.toNs = process.hrtime.bigint() + BigInt(thresholdMs + lookMs) * 1_000_000n;
      }
      await pause(lookMs);
    }
  };
  const done = watch();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}

/** Whether one server is the primary, the other follows it, and Sentinel names the same. */
async function isOnePrimary({ sentinel, master, ...servers }: LocalSentinel): Promise<boolean> {
  const both = [servers.primary, servers.replica];
  const ask = (server: LocalRedis, ...words: string[]): Promise<string> =>
    server.ask(...words).catch(() => '');
  const infos = await Promise.all(both.map((server) => ask(server, 'INFO', 'replication')));
  const named = await sentinel.ask('SENTINEL', 'get-master-addr-by-name', master).catch(() => '');
  return both.some(
    ({ port }, index) =>
      named.includes(String(port)) &&
      infos[index]?.includes('role:master') &&
      infos[1 - index]?.includes('master_link_status:up'),
  );
}

async function hasRole(server: LocalRedis, role: 'master' | 'slave'): Promise<boolean> {
  const info = await server.ask('INFO', 'replication').catch(() => '');
  return info.includes(`role:${role}`);
}

/** Resolves with the primary. Between two faults there is exactly one. */
async function primaryOf(servers: readonly LocalRedis[]): Promise<LocalRedis> {
  for (const server of servers) if (await hasRole(server, 'master')) return server;
  throw new Error('no server is the primary');
}

/** Resolves once one server is the primary and the other has all of its writes. */
async function settled(installed: LocalSentinel): Promise<void> {
  const servers = [installed.primary, installed.replica];
  const began = performance.now();
  const infos = (): Promise<readonly string[]> =>
    Promise.all(servers.map((server) => server.ask('INFO', 'replication').catch(() => '')));
  let last: readonly string[] = [];
  const count = (text: string): number => last.filter((info) => info.includes(text)).length;
  const isSettled = async (): Promise<boolean> => {
    last = await infos();
    const isLate = performance.now() - began > withoutPrimaryMs;
    if (isLate && count('role:slave') === servers.length) await promoteNamed(installed);
    return count('role:master') === 1 && count('master_link_status:up') === 1;
  };
  await eventually('the servers are a primary and its replica', isSettled, {
    withinMs: patienceMs,
    details: () => `: ${last.join('; ')}`,
  });
}

/**
 * Makes the server that Sentinel names the primary, as an operator does: after faults in a row, it
 * can leave both servers as replicas of each other.
 */
async function promoteNamed({ sentinel, master, primary, replica }: LocalSentinel): Promise<void> {
  const address = await sentinel.ask('SENTINEL', 'get-master-addr-by-name', master);
  const named = [primary, replica].find(({ port }) => address.includes(String(port)));
  await named?.ask('REPLICAOF', 'NO', 'ONE');
}
