import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually } from '@leadership/testkit/adapter';
import { type LocalPostgres, localPostgres } from '@leadership/tools/postgres';
import {
  type EnvironmentFault,
  memberProxies,
  networkFaults,
  type SoakEnvironment,
} from '@leadership/tools/soak';
import { deleteRows } from './editable-rows.ts';
import { administered, type TestServer } from './server.ts';

const run = promisify(execFile);
const group = 'soak';

/** A primary with a replica that has every commit, as an operator keeps them. */
interface Pair extends AsyncDisposable {
  /** The current primary. Its port changes with a fail-over. */
  readonly target: { readonly port: number };
  readonly primary: TestServer<LocalPostgres>;
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

async function startPair(): Promise<Pair> {
  // A commit is acknowledged only once the replica has it, so that a fail-over loses none.
  let primary = administered(await localPostgres());
  await set(primary, 'synchronous_standby_names', '*');
  let replica = administered(await primary.server.replica());
  const target = { port: primary.server.port };
  const replicated = (): Promise<boolean> =>
    eventually('the replica receives every commit', async () => {
      const sql = `select 1 from pg_stat_replication where sync_state = 'sync' and state = 'streaming'`;
      const { rowCount } = await primary.admin.query(sql).catch(() => ({ rowCount: 0 }));
      return rowCount === 1;
    });
  await replicated();
  const replace = async (promoted: () => unknown): Promise<void> => {
    const old = primary;
    await replica.admin.query('select pg_promote(true, 60)');
    primary = replica;
    target.port = primary.server.port;
    await promoted();
    await old[Symbol.asyncDispose]();
    replica = administered(await primary.server.replica());
    await replicated();
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
      await set(replica, 'primary_conninfo', '');
      await eventually('the replica receives nothing', async () => {
        const { rowCount } = await replica.admin.query('select from pg_stat_wal_receiver');
        return rowCount === 0;
      });
      await set(primary, 'synchronous_standby_names', '');
      await pause(ms);
      await primary.server.kill();
      await replace(promoted);
    },
    async rollBack(ms) {
      const { rows } = await primary.admin.query('show data_directory');
      const data = String(rows[0]?.data_directory);
      await primary.server.stop();
      await run('cp', ['-a', data, `${data}-kept`]);
      await primary.server.start();
      await pause(ms);
      await replica[Symbol.asyncDispose]();
      await primary.server.kill();
      await run('rm', ['-r', data]);
      await run('mv', [`${data}-kept`, data]);
      await primary.server.start();
      replica = administered(await primary.server.replica());
      await replicated();
    },
    async restart(how, awayMs) {
      await primary.server[how]();
      await pause(awayMs);
      await primary.server.start();
      await replicated();
    },
    async [Symbol.asyncDispose]() {
      await replica[Symbol.asyncDispose]();
      await primary[Symbol.asyncDispose]();
    },
  };
}

/** Changes a setting of a running server. */
async function set({ admin }: TestServer, name: string, value: string): Promise<void> {
  await admin.query(`alter system set ${name} = '${value}'`);
  await admin.query('select pg_reload_conf()');
}

/** A primary and its replica, to which every member has a proxy that follows the primary. */
export async function postgresEnvironment(members: readonly string[]): Promise<SoakEnvironment> {
  const pair = await startPair();
  const { database, user, password } = pair.primary.config;
  // Member processes inherit it.
  process.env['PGPASSWORD'] = password;
  const proxies = await memberProxies(members, [pair.target]);
  const all = members.flatMap((member) => proxies.of(member));
  const follow = (): void => {
    for (const proxy of all) proxy.reset();
  };
  const restarted =
    (how: 'kill' | 'stop'): EnvironmentFault =>
    ({ rng, settings }) =>
      pair.restart(how, rng.between(0, 3) * settings.thresholdMs);
  return {
    name: 'Postgres with a synchronous replica',
    memberOptions(member) {
      const [proxy] = proxies.of(member);
      return {
        url: `postgres://127.0.0.1:${proxy?.port}/${database}?user=${user}&group=${group}`,
      };
    },
    memberFaults: networkFaults((member) => proxies.of(member)),
    environmentFaults: {
      'primary killed, replica promoted': () => pair.failOver(follow),
      'replica promoted beside the primary': ({ rng, settings }) =>
        pair.promote(async () => {
          for (const proxy of all.filter(() => rng.between(0, 1) < 0.5)) proxy.reset();
          await pause(rng.between(0, 3) * settings.thresholdMs);
          follow();
        }),
      'primary killed, replica without the newest commits promoted': ({ rng, settings }) =>
        pair.loseCommits(rng.between(0, 3) * settings.thresholdMs, follow),
      'disk of the primary rolled back': ({ rng, settings }) =>
        pair.rollBack(rng.between(0, 3) * settings.thresholdMs),
      'primary killed and restarted': restarted('kill'),
      'primary shut down and restarted': restarted('stop'),
      'rows deleted': () => deleteRows(pair.primary.admin, group),
    },
    environmentFaultEvery: 20,
    async [Symbol.asyncDispose]() {
      delete process.env['PGPASSWORD'];
      await proxies[Symbol.asyncDispose]();
      await pair[Symbol.asyncDispose]();
    },
  };
}
