import { cp, rename, rm } from 'node:fs/promises';
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
const timeoutMs = 180_000;
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
  const watch = new ServerWatch(servers, thresholdMs);
  const name = `Redis with Sentinel, minReplicas ${minReplicas}`;
  return {
    name,
    lossy: watch.lossy,
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
    environmentFaults: environmentFaults(servers, watch),
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      await proxies[Symbol.asyncDispose]();
      await servers[Symbol.asyncDispose]();
    },
  };
}

function environmentFaults(
  installed: LocalSentinel,
  watch: ServerWatch,
): SoakEnvironment['environmentFaults'] {
  const { primary: first, replica: second } = installed;
  const servers = [first, second];
  const toPrimary =
    (
      fault: string,
      inject: (primary: LocalRedis, context: SoakContext) => Promise<void>,
    ): EnvironmentFault =>
    async (context) => {
      const primary = await primaryOf(servers);
      await watch.during(fault, async () => {
        await inject(primary, context);
        await settled(installed);
      });
    };
  const replaced =
    (inject: (primary: LocalRedis) => Promise<void>) =>
    async (primary: LocalRedis): Promise<void> => {
      await inject(primary);
      const other = primary === first ? second : first;
      await eventually('Sentinel promotes the replica', () => hasRole(other, 'master'), {
        withinMs: timeoutMs,
      });
    };
  const faults = {
    'primary killed, replica promoted': async (primary: LocalRedis) => {
      await replaced((server) => server.kill())(primary);
      await primary.start();
    },
    'primary stopped, replica promoted': async (primary: LocalRedis) => {
      await replaced(async (server) => server.pause())(primary);
      primary.resume();
    },
    // Sentinel makes a replica of the old primary 8 s later. Until then both answer.
    'replica promoted beside the primary': replaced(async () => {
      const { sentinel, master } = installed;
      await eventually('Sentinel begins a fail-over', () =>
        sentinel.ask('SENTINEL', 'FAILOVER', master).then(
          () => true,
          () => false,
        ),
      );
    }),
    'primary killed and restarted': async (primary: LocalRedis) => {
      await primary.kill();
      await primary.start();
    },
    'primary restored': async (primary: LocalRedis, context: SoakContext) => {
      const { directory } = primary;
      const kept = `${directory}-kept`;
      await cp(directory, kept, { recursive: true });
      await pause(context.rng.between(0, 3) * context.settings.thresholdMs);
      await primary.kill();
      await rm(directory, { recursive: true });
      await rename(kept, directory);
      await primary.start();
    },
    'primary stopped for less than T': async (primary: LocalRedis, context: SoakContext) => {
      primary.pause();
      await pause(context.rng.between(0, 0.2) * context.settings.thresholdMs);
      primary.resume();
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

/** Interval of the looks at the servers. Milliseconds. */
const checkMs = 100;

/**
 * Notes the periods in which the servers are not one primary with its replica, whatever the reason:
 * Sentinel may replace a primary seconds after a fault, when it has long been restarted. A fault
 * counts until it is settled, because it may be over between two looks. A member may believe for T
 * longer what a primary acknowledged.
 */
class ServerWatch implements AsyncDisposable {
  readonly lossy: LossyPeriod[] = [];
  readonly #servers: LocalSentinel;
  readonly #lingersNs: bigint;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #faults = 0;
  #goodAtNs = process.hrtime.bigint();
  #period: LossyPeriod | undefined;

  constructor(servers: LocalSentinel, thresholdMs: number) {
    this.#servers = servers;
    this.#lingersNs = BigInt(thresholdMs + checkMs) * 1_000_000n;
    this.#done = this.#look();
  }

  /** Injects a fault. Resolves when it is settled. */
  async during(fault: string, inject: () => Promise<void>): Promise<void> {
    this.#faults += 1;
    this.#isLossy(fault);
    try {
      await inject();
    } finally {
      this.#faults -= 1;
      this.#isLossy(fault);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #look(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const lookedAtNs = process.hrtime.bigint();
      const isGood = await isOnePrimary(this.#servers);
      if (!isGood || this.#faults > 0)
        this.#isLossy('the servers were not one primary with its replica');
      else {
        this.#goodAtNs = lookedAtNs;
        this.#period = undefined;
      }
      await pause(checkMs);
    }
  }

  /** Prolongs the period that lasts, or begins one. */
  #isLossy(fault: string): void {
    const last = this.lossy.at(-1);
    if (last?.toNs !== undefined && last.toNs >= this.#goodAtNs) this.#period = last;
    if (this.#period === undefined) {
      this.#period = { fault, fromNs: this.#goodAtNs, toNs: undefined };
      this.lossy.push(this.#period);
    }
    this.#period.toNs = process.hrtime.bigint() + this.#lingersNs;
  }
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
    withinMs: timeoutMs,
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
