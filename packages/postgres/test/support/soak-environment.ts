import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import { type LocalPostgres, localPostgres } from '@leadership/tools/postgres';
import {
  type EnvironmentFault,
  memberProxies,
  networkFaults,
  type SoakEnvironment,
} from '@leadership/tools/soak';
import { administered, type TestServer } from './server.ts';
import { deleteRows } from './strange-rows.ts';

const group = 'soak';

/** A primary with a replica that has every commit, as an operator keeps them. */
interface Pair extends AsyncDisposable {
  /** The current primary. Its port changes with a fail-over. */
  readonly target: { readonly port: number };
  readonly primary: TestServer<LocalPostgres>;
  /** Kills the primary, promotes the replica, and then starts a new replica. */
  failOver(promoted: () => void): Promise<void>;
  /** Ends the primary and starts it again. */
  restart(how: 'kill' | 'stop', awayMs: number): Promise<void>;
}

async function startPair(): Promise<Pair> {
  // A commit is acknowledged only once the replica has it, so that a fail-over loses none.
  const settings = { synchronous_standby_names: '*' };
  let primary = administered(await localPostgres({ settings }));
  let replica = administered(await primary.server.replica());
  const target = { port: primary.server.port };
  const replicated = (): Promise<boolean> =>
    eventually('the replica receives every commit', async () => {
      const sql = `select 1 from pg_stat_replication where sync_state = 'sync' and state = 'streaming'`;
      const { rowCount } = await primary.admin.query(sql).catch(() => ({ rowCount: 0 }));
      return rowCount === 1;
    });
  await replicated();
  return {
    target,
    get primary() {
      return primary;
    },
    async failOver(promoted) {
      const old = primary;
      await old.server.kill();
      await replica.admin.query('select pg_promote(true, 60)');
      primary = replica;
      target.port = primary.server.port;
      promoted();
      await old[Symbol.asyncDispose]();
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

/** A primary and its replica, to which every member has a proxy that follows the primary. */
export async function postgresEnvironment(members: readonly string[]): Promise<SoakEnvironment> {
  const pair = await startPair();
  const { database, user, password } = pair.primary.config;
  // Member processes inherit it.
  process.env['PGPASSWORD'] = password;
  const proxies = await memberProxies(members, [pair.target]);
  const follow = (): void => {
    for (const proxy of members.flatMap((member) => proxies.of(member))) proxy.reset();
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
