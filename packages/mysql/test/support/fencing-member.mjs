// A member that writes to the table `log` in fenced or plain transactions. Uses the built package.
import { fence, mysqlLeadership } from '@leadership/mysql';
import { writeWhileLeading } from '@leadership/tools/overtaken';
import { createPool } from 'mysql2/promise';

const { member, group, thresholdMs, isFenced, level, ...config } = JSON.parse(process.argv[2]);
const pool = createPool(config);
const source = mysqlLeadership({ pool, group, member, thresholdMs, partitions: 1 });

await writeWhileLeading(source, async (term, count, inside) => {
  const client = await pool.getConnection();
  client.connection.on('error', () => undefined);
  try {
    await client.query(`set transaction isolation level ${level}`);
    await client.query('start transaction');
    if (isFenced) await fence(client, term, { group, limitMs: 1000 });
    const values = [String(term.token), count, member];
    await client.query('insert into log (token, count, member) values (?, ?, ?)', values);
    await inside();
    await client.query('commit');
    client.release();
  } catch (error) {
    client.destroy();
    throw error;
  }
});
