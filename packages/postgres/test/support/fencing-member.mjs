// A member that writes to the table `log` in fenced or plain transactions, and stops inside one on
// request. Uses the built package. It prints one line per event.
import { setTimeout as pause } from 'node:timers/promises';
import { fence, postgresLeadership } from '@leadership/postgres';
import pg from 'pg';

const { member, group, thresholdMs, isFenced, limitMs, ...config } = JSON.parse(process.argv[2]);
const pool = new pg.Pool(config);
pool.on('error', () => undefined);
pool.on('connect', (client) => client.on('error', () => undefined));
const source = postgresLeadership({ pool, group, member, thresholdMs, partitions: 1 });
const say = (kind, detail = '') => process.stdout.write(`${JSON.stringify({ kind, detail })}\n`);
let holds = false;
process.on('SIGUSR2', () => {
  holds = true;
});

await source.role('r').lead(async (term) => {
  say('leading', String(term.token));
  for (let count = 1; !term.signal.aborted; count += 1) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      if (isFenced) await fence(client, term, { group, limitMs });
      await client.query('insert into log (token, count, member) values ($1, $2, $3)', [
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
      client.release(true);
    }
    await pause(20);
  }
});
