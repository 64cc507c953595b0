// A member that writes to the table `log` in fenced or plain transactions. Uses the built package.
import { fence, postgresLeadership } from '@leadership/postgres';
import { writeWhileLeading } from '@leadership/tools/overtaken';
import pg from 'pg';

const { member, group, thresholdMs, isFenced, limitMs, ...config } = JSON.parse(process.argv[2]);
const pool = new pg.Pool(config);
pool.on('error', () => undefined);
pool.on('connect', (client) => client.on('error', () => undefined));
const source = postgresLeadership({ pool, group, member, thresholdMs, partitions: 1 });

await writeWhileLeading(source, async (term, count, inside) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    if (isFenced) await fence(client, term, { group, limitMs });
    const values = [String(term.token), count, member];
    await client.query('insert into log (token, count, member) values ($1, $2, $3)', values);
    await inside();
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
});
