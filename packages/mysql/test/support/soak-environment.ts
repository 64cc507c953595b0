import { eventually } from '@leadership/testkit/adapter';
import { type LocalMysql, localMysql } from '@leadership/tools/mysql';
import type { Replication } from '@leadership/tools/soak';
import { deleteRows } from './editable-rows.ts';
import { administered, rowsOf, type TestServer } from './server.ts';

/**
 * A commit is seen by others, too, only once the replica has it. A server plays both parts, and waits
 * for a replica only once that follows it.
 */
const settings = {
  'rpl-semi-sync-master-wait-point': 'AFTER_SYNC',
  'rpl-semi-sync-master-timeout': '4294967295',
  'rpl-semi-sync-slave-enabled': '1',
};

/** A primary with a semi-synchronous replica. */
export const semiSynchronousReplica: Replication<TestServer<LocalMysql>> = {
  name: 'MariaDB with a semi-synchronous replica',
  start: async () => administered(await localMysql({ settings })),
  replicaOf: async ({ server }) => administered(await server.replica()),
  setWaiting: ({ admin }, isWaiting) =>
    admin.query(`set global rpl_semi_sync_master_enabled = ${isWaiting ? 1 : 0}`),
  async isReplicated({ admin }) {
    const [clients] = await rowsOf(admin, "show global status like 'Rpl_semi_sync_master_clients'");
    return clients?.['Value'] === '1';
  },
  detach: ({ admin }) => admin.query('stop slave io_thread'),
  async promote({ admin }) {
    await admin.query('stop slave io_thread');
    await eventually('the replica has applied what it has received', async () => {
      const [state] = await rowsOf(admin, 'show slave status');
      return /has read all relay log/.test(String(state?.['Slave_SQL_Running_State']));
    });
    await admin.query('stop slave; reset slave all; set global read_only = 0');
  },
  deleteRows: ({ admin }, group) => deleteRows(admin, group),
  urlOf: ({ config: { database, user } }, port, group) =>
    `mysql://127.0.0.1:${port}/${database}?user=${user}&group=${group}`,
  envOf: ({ config }) => ({ MYSQL_PWD: config.password }),
};
