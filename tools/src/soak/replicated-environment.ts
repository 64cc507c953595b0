// The soak environment of a database whose primary has a replica, as operators keep them.
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import type { LocalServer } from '../backends/local-server.ts';
import type { EnvironmentFault, SoakEnvironment } from './environment.ts';
import { memberProxies, networkFaults } from './network-faults.ts';

/** A server with connections of an administrator. */
interface Administered extends AsyncDisposable {
  readonly server: LocalServer;
}

/** The operations that differ between databases. */
export interface Replication<Server extends Administered> {
  readonly name: string;
  start(): Promise<Server>;
  /** Starts a replica, which receives every commit. */
  replicaOf(primary: Server): Promise<Server>;
  /** Sets whether the primary acknowledges a commit only once a replica has it. */
  setWaiting(primary: Server, isWaiting: boolean): Promise<unknown>;
  /** Returns whether a replica receives every commit. */
  isReplicated(primary: Server): Promise<boolean>;
  /** Cuts a replica off from its primary. */
  detach(replica: Server): Promise<unknown>;
  /** Makes a replica a primary. */
  promote(replica: Server): Promise<unknown>;
  deleteRows(primary: Server, group: string): Promise<void>;
  /** Returns the URL by which members reach the server through a port of a proxy. */
  urlOf(server: Server, port: number, group: string): string;
  /** Returns variables of the environment of member processes, such as the password. */
  envOf(server: Server): Readonly<Record<string, string>>;
}

const group = 'soak';

interface Pair<Server> extends AsyncDisposable {
  /** The current primary. Its port changes with a fail-over. */
  readonly target: { readonly port: number };
  readonly primary: Server;
  /** Kills the primary, promotes the replica, and then starts a new replica. */
  failOver(promoted: () => void): Promise<void>;
  /**
   * Promotes the replica while the primary goes on, which acknowledges no commit then. `promoted`
   * resolves once no member needs the old primary.
   */
  promote(promoted: () => Promise<void>): Promise<void>;
  /** Does the same as `failOver` with a replica that lacks the commits of that time. */
  loseCommits(ms: number, promoted: () => void): Promise<void>;
  /** Starts the primary with its disk as it was that long ago. */
  rollBack(ms: number): Promise<void>;
  /** Ends the primary and starts it again. */
  restart(how: 'kill' | 'stop', awayMs: number): Promise<void>;
}

async function startPair<Server extends Administered>(
  replication: Replication<Server>,
): Promise<Pair<Server>> {
  const followed = async (): Promise<Server> => {
    await replication.setWaiting(primary, true);
    const started = await replication.replicaOf(primary);
    await replicated();
    return started;
  };
  const replicated = (): Promise<boolean> =>
    eventually('the replica receives every commit', () =>
      replication.isReplicated(primary).catch(() => false),
    );
  let primary = await replication.start();
  let replica = await followed();
  const target = { port: primary.server.port };
  const replace = async (promoted: () => unknown): Promise<void> => {
    const old = primary;
    await replication.promote(replica);
    primary = replica;
    target.port = primary.server.port;
    await promoted();
    await old[Symbol.asyncDispose]();
    replica = await followed();
  };
  return {
    target,
    get primary() {
      return primary;
    },
    async failOver(promoted) {
      await primary.server.kill();
      await replace(promoted);
    },
    promote: replace,
    async loseCommits(ms, promoted) {
      await replication.setWaiting(primary, false);
      await replication.detach(replica);
      await pause(ms);
      await primary.server.kill();
      await replace(promoted);
    },
    async rollBack(ms) {
      await primary.server.stop();
      const copy = await primary.server.copyData();
      await primary.server.start();
      await pause(ms);
      await replica[Symbol.asyncDispose]();
      await primary.server.kill();
      await copy.putBack();
      await primary.server.start();
      replica = await followed();
    },
    async restart(how, awayMs) {
      await primary.server[how]();
      await pause(awayMs);
      await primary.server.start();
      await replication.setWaiting(primary, true);
      await replicated();
    },
    async [Symbol.asyncDispose]() {
      await replica[Symbol.asyncDispose]();
      await primary[Symbol.asyncDispose]();
    },
  };
}

/**
 * Starts a primary and its replica, to which every member has a proxy that follows the primary. A
 * fail-over loses no commit, because the primary acknowledges one only once the replica has it.
 */
export async function replicatedEnvironment<Server extends Administered>(
  members: readonly string[],
  replication: Replication<Server>,
): Promise<SoakEnvironment> {
  const pair = await startPair(replication);
  const { primary: first } = pair;
  const proxies = await memberProxies(members, [pair.target]);
  const all = members.flatMap((member) => proxies.of(member));
  const follow = (): void => {
    for (const proxy of all) proxy.reset();
  };
  const forUpTo3T =
    (inject: (ms: number, isHit: () => boolean) => Promise<void>): EnvironmentFault =>
    ({ rng, settings }) =>
      inject(rng.between(0, 3) * settings.thresholdMs, () => rng.between(0, 1) < 0.5);
  return {
    name: replication.name,
    memberOptions(member) {
      const [proxy] = proxies.of(member);
      return { url: replication.urlOf(first, proxy?.port ?? 0, group) };
    },
    env: replication.envOf(first),
    memberFaults: networkFaults((member) => proxies.of(member)),
    environmentFaults: {
      'primary killed, replica promoted': () => pair.failOver(follow),
      'replica promoted beside the primary': forUpTo3T((ms, isHit) =>
        pair.promote(async () => {
          for (const proxy of all.filter(isHit)) proxy.reset();
          await pause(ms);
          follow();
        }),
      ),
      'primary killed, replica without the newest commits promoted': forUpTo3T((ms) =>
        pair.loseCommits(ms, follow),
      ),
      'disk of the primary rolled back': forUpTo3T((ms) => pair.rollBack(ms)),
      'primary killed and restarted': forUpTo3T((ms) => pair.restart('kill', ms)),
      'primary shut down and restarted': forUpTo3T((ms) => pair.restart('stop', ms)),
      'rows deleted': () => replication.deleteRows(pair.primary, group),
    },
    async [Symbol.asyncDispose]() {
      await proxies[Symbol.asyncDispose]();
      await pair[Symbol.asyncDispose]();
    },
  };
}
