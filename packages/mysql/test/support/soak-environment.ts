import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually } from '@leadership/testkit/adapter';
import { type LocalMysql, localMysql } from '@leadership/tools/mysql';
import {
  type EnvironmentFault,
  memberProxies,
  networkFaults,
  type SoakEnvironment,
} from '@leadership/tools/soak';
import { deleteRows } from './editable-rows.ts';
import { administered, rowsOf, type TestServer } from './server.ts';

const run = promisify(execFile);
const group = 'soak';

/**
 * A commit is acknowledged, and seen by others, only once the replica has it, so that a fail-over loses
 * none. A server plays both parts, and waits for a replica only once that is told to follow it.
 */
const settings = {
  'rpl-semi-sync-master-wait-point': 'AFTER_SYNC',
  'rpl-semi-sync-master-timeout': '4294967295',
  'rpl-semi-sync-slave-enabled': '1',
};

/** A primary with a replica that has every commit, as an operator keeps them. */
interface Pair extends AsyncDisposable {
  /** The current primary. Its port changes with a fail-over. */
  readonly target: { readonly port: number };
  readonly primary: TestServer<LocalMysql>;
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
  let primary = administered(await localMysql({ settings }));
  const wait = 'set global rpl_semi_sync_master_enabled = 1';
  const followed = async (): Promise<TestServer<LocalMysql>> => {
    await primary.admin.query(wait);
    return administered(await primary.server.replica());
  };
  let replica = await followed();
  const target = { port: primary.server.port };
  const replicated = (): Promise<boolean> =>
    eventually('the replica receives every commit', async () => {
      const sql = "show global status like 'Rpl_semi_sync_master_clients'";
      const rows = await rowsOf(primary.admin, sql).catch(() => []);
      return rows[0]?.['Value'] === '1';
    });
  await replicated();
  const replace = async (promoted: () => unknown): Promise<void> => {
    const old = primary;
    await replica.admin.query('stop slave io_thread');
    await eventually('the replica has applied what it has received', async () => {
      const [state] = await rowsOf(replica.admin, 'show slave status');
      return /has read all relay log/.test(String(state?.['Slave_SQL_Running_State']));
    });
    await replica.admin.query('stop slave; reset slave all; set global read_only = 0');
    primary = replica;
    target.port = primary.server.port;
    await promoted();
    await old[Symbol.asyncDispose]();
    replica = await followed();
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
      await primary.admin.query('set global rpl_semi_sync_master_enabled = 0');
      await replica.admin.query('stop slave io_thread');
      await pause(ms);
      await primary.server.kill();
      await replace(promoted);
    },
    async rollBack(ms) {
      const data = join(primary.server.directory, 'data');
      await primary.server.stop();
      await run('cp', ['-a', data, `${data}-kept`]);
      await primary.server.start();
      await pause(ms);
      await replica[Symbol.asyncDispose]();
      await primary.server.kill();
      await run('rm', ['-r', data]);
      await run('mv', [`${data}-kept`, data]);
      await primary.server.start();
      replica = await followed();
      await replicated();
    },
    async restart(how, awayMs) {
      await primary.server[how]();
      await pause(awayMs);
      await primary.server.start();
      await primary.admin.query(wait);
      await replicated();
    },
    async [Symbol.asyncDispose]() {
      await replica[Symbol.asyncDispose]();
      await primary[Symbol.asyncDispose]();
    },
  };
}

/** A primary and its replica, to which every member has a proxy that follows the primary. */
export async function mysqlEnvironment(members: readonly string[]): Promise<SoakEnvironment> {
  const pair = await startPair();
  const { database, user, password } = pair.primary.config;
  // Member processes inherit it.
  process.env['MYSQL_PWD'] = password;
  const proxies = await memberProxies(members, [pair.target]);
  const all = members.flatMap((member) => proxies.of(member));
  const follow = (): void => {
    for (const proxy of all) proxy.reset();
  };
  const restarted =
    (how: 'kill' | 'stop'): EnvironmentFault =>
    ({ rng, settings: { thresholdMs } }) =>
      pair.restart(how, rng.between(0, 3) * thresholdMs);
  return {
    name: 'MariaDB with a semi-synchronous replica',
    memberOptions(member) {
      const [proxy] = proxies.of(member);
      return {
        url: `mysql://127.0.0.1:${proxy?.port}/${database}?user=${user}&group=${group}`,
      };
    },
    memberFaults: networkFaults((member) => proxies.of(member)),
    environmentFaults: {
      'primary killed, replica promoted': () => pair.failOver(follow),
      'replica promoted beside the primary': ({ rng, settings: { thresholdMs } }) =>
        pair.promote(async () => {
          for (const proxy of all.filter(() => rng.between(0, 1) < 0.5)) proxy.reset();
          await pause(rng.between(0, 3) * thresholdMs);
          follow();
        }),
      'primary killed, replica without the newest commits promoted': ({
        rng,
        settings: { thresholdMs },
      }) => pair.loseCommits(rng.between(0, 3) * thresholdMs, follow),
      'disk of the primary rolled back': ({ rng, settings: { thresholdMs } }) =>
        pair.rollBack(rng.between(0, 3) * thresholdMs),
      'primary killed and restarted': restarted('kill'),
      'primary shut down and restarted': restarted('stop'),
      'rows deleted': () => deleteRows(pair.primary.admin, group),
    },
    environmentFaultEvery: 20,
    async [Symbol.asyncDispose]() {
      delete process.env['MYSQL_PWD'];
      await proxies[Symbol.asyncDispose]();
      await pair[Symbol.asyncDispose]();
    },
  };
}
