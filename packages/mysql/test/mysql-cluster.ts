import type { Cluster } from '@leadership/testkit';
import {
  processCluster,
  proxiedMembers,
  rowFaults,
  type StoreProxy,
  storeProxy,
} from '@leadership/testkit/faults';
import type { Connections } from '../src/connections.ts';
import { mysqlOver } from '../src/mysql-leadership.ts';
import { mysql2Connections } from '../src/mysql2-connections.ts';
import { deleteRows, editableRows } from './support/editable-rows.ts';
import { testServer } from './support/server.ts';

/** Creates a cluster on one server. The requests of each member of this process can be hindered. */
export async function mysqlCluster(): Promise<Cluster> {
  const { config, admin, ...opened } = await testServer();
  const { host, port, database, user } = config;
  return processCluster({
    name: 'mysql',
    // As for Postgres: dozens of members at a time on a starved machine.
    thresholdMs: 2000,
    keepsPartitionsMax: true,
    url: (group) =>
      `mysql://${host}:${port}/${database}?user=${user}&group=${encodeURIComponent(group)}`,
    env: { MYSQL_PWD: config.password },
    ...proxiedMembers((member) => {
      const proxy = storeProxy();
      const source = mysqlOver({ connection: config, ...member }, (options) =>
        hindered(mysql2Connections(options), proxy),
      );
      return { source, proxy };
    }),
    cannot: {
      'lose-quorum': 'a table has no voters',
      'voter-names': 'two members may have one name',
    },
    ...rowFaults(editableRows(admin)),
    deleteState: (group) => deleteRows(admin, group),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  });
}

/** Returns connections whose requests meet the faults of the proxy. */
function hindered(connections: Connections, way: StoreProxy): Connections {
  return {
    query(sql, signal) {
      // A request that is held back reaches the server after its member gave it up.
      const send = (): ReturnType<Connections['query']> =>
        connections.query(sql, signal.aborted ? new AbortController().signal : signal);
      if (sql.includes('start transaction')) return way.exchange(send);
      return way.read(sql.includes('union all') ? 'rows' : 'settings', send);
    },
    close: () => connections.close(),
  };
}
