// A member that writes to the table `log` in fenced or plain transactions, and stops inside one on
// request. Uses the built package. It prints one line per event.
import { setTimeout as pause } from 'node:timers/promises';
import { fence, mysqlLeadership } from '@leadership/mysql';
import { createPool } from 'mysql2/promise';

const { member, group, thresholdMs, isFenced, level, ...config } = JSON.parse(process.argv[2]);
const pool = createPool(config);
const source = mysqlLeadership({ pool, group, member, thresholdMs, partitions: 1 });
const say = (kind, detail = '') => process.stdout.write(`${JSON.stringify({ kind, detail })}\n`);
let holds = false;
process.on('SIGUSR2', () => {
  holds = true;
});

await source.role('r').lead(async (term) => {
  say('leading', String(term.token));
  for (let count = 1; !term.signal.aborted; count += 1) {
    const client = await pool.getConnection();
    client.connection.on('error', () => undefined);
    try {
      await client.query(`set transaction isolation level ${level}`);
      await client.query('start transaction');
      if (isFenced) await fence(client, term, { group, limitMs: 1000 });
      await client.query('insert into log (token, count, member) values (?, ?, ?)', [
        String(term.token),
        count,
        member,
      ]);
      if (holds) {
        holds = false;
        say('inside', String(term.token));
        // The test stops the process here.
        await pause(200);
      }
      await client.query('commit');
      say('committed', String(term.token));
      client.release();
    } catch (error) {
      say('failed', error.message);
      client.destroy();
    }
    await pause(20);
  }
});
