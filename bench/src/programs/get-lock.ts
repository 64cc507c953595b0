// A member process that loops over a lock of MySQL (`GET_LOCK`). It leads as long as its connection
// lives.
import { type ConnectionOptions, createConnection, type RowDataPacket } from 'mysql2/promise';
import { loop } from '../peers/lock-loop.ts';

const lock = 'election';

await loop(async (server: ConnectionOptions) => {
  const client = await createConnection(server);
  return {
    async take() {
      const sql = 'select get_lock(?, 0) as is_taken';
      const [rows] = await client.query<RowDataPacket[]>(sql, [lock]);
      return rows[0]?.['is_taken'] === 1;
    },
    extend: () => Promise.resolve(true),
    release: () => client.query('select release_lock(?)', [lock]),
  };
});
