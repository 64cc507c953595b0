// MariaDB as the benchmarks of elections use it, beside a loop over `GET_LOCK` as teams write it.
import { hasLocalMysql, localMysql } from '@leadership/tools/mysql';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { startLoop } from '../peers/lock-loop.ts';
import type { Backend } from './backend.ts';
import { bySession, storeBackend } from './stores.ts';

/** A server of this host, whose commits wait for the disk. */
export const mysql: Backend = storeBackend({
  name: 'mysql',
  roundTrip: 'a durable update of one row',
  // Half of T/4, with the T of the benchmark: no server of this kind notifies its clients.
  pollMs: 125,
  isOffered: () => hasLocalMysql(),
  start: () => localMysql({ fsync: true }),
  async use({ host, user, password, database }, port) {
    const server = { host, port, user, password, database };
    const client = await createConnection(server);
    await client.query('create table trips (id int primary key, value int)');
    await client.query('insert into trips values (1, 0)');
    const executed = async (statement: string): Promise<number> => {
      const [rows] = await client.query<RowDataPacket[]>('show global status like ?', [
        `Com_${statement}`,
      ]);
      return Number(rows[0]?.['Value']);
    };
    return {
      place: 'MariaDB of this host',
      address: (group) => ({
        url: `mysql://${host}:${port}/${database}?user=${user}&group=${group}`,
        env: { MYSQL_PWD: password },
      }),
      request: () => client.query('update trips set value = value + 1 where id = 1'),
      words: { reads: 'requests', writes: 'of them transactions' },
      // Three in T of each member: a candidate says that it is there with two or three of its four polls.
      documented: (size) => ({ ...bySession(size), writes: 3 * size.members }),
      // A request reads with one SELECT. One with changes has two more.
      async count() {
        const writes = await executed('begin');
        return { reads: (await executed('select')) - 2 * writes, writes };
      },
      peers: async () => ({
        peers: [
          {
            name: 'GET_LOCK, tried every T/4; the connection of a killed process ends at once',
            start: (options) => startLoop('get-lock', server, options),
            requests: () => executed('select'),
          },
        ],
        notes: [],
      }),
      [Symbol.asyncDispose]: () => client.end(),
    };
  },
});
