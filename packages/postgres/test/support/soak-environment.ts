import { eventually } from '@leadership/testkit/adapter';
import { type LocalPostgres, localPostgres } from '@leadership/tools/postgres';
import type { Replication } from '@leadership/tools/soak';
import { deleteRows } from './editable-rows.ts';
import { administered, type TestServer } from './server.ts';

/** A primary with a synchronous replica. */
export const synchronousReplica: Replication<TestServer<LocalPostgres>> = {
  name: 'Postgres with a synchronous replica',
  start: async () => administered(await localPostgres()),
  replicaOf: async ({ server }) => administered(await server.replica()),
  setWaiting: (primary, isWaiting) =>
    set(primary, 'synchronous_standby_names', isWaiting ? '*' : ''),
  async isReplicated({ admin }) {
    const sql = `select 1 from pg_stat_replication where sync_state = 'sync' and state = 'streaming'`;
    return (await admin.query(sql)).rowCount === 1;
  },
  async detach(replica) {
    await set(replica, 'primary_conninfo', '');
    await eventually('the replica receives nothing', async () => {
      const { rowCount } = await replica.admin.query('select from pg_stat_wal_receiver');
      return rowCount === 0;
    });
  },
  promote: ({ admin }) => admin.query('select pg_promote(true, 60)'),
  deleteRows: ({ admin }, group) => deleteRows(admin, group),
  urlOf: ({ config: { database, user } }, port, group) =>
    `postgres://127.0.0.1:${port}/${database}?user=${user}&group=${group}`,
  envOf: ({ config }) => ({ PGPASSWORD: config.password }),
};

/** Changes a setting of a running server. */
async function set({ admin }: TestServer, name: string, value: string): Promise<void> {
  await admin.query(`alter system set ${name} = '${value}'`);
  await admin.query('select pg_reload_conf()');
}
