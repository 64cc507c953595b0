// One process at a time sends invoices: an advisory lock in Postgres, as many programs have it.
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const name = process.argv[2];
const log = (text) => console.log(new Date().toISOString().slice(14, 23), name, text);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
// Without these, a lost connection ends the process.
pool.on('connect', (session) => session.on('error', ({ message }) => log(`warning: ${message}`)));
pool.on('error', () => undefined);

for (;;) {
  const session = await pool.connect(); // the lock belongs to this session
  const { rows } = await session.query('select pg_try_advisory_lock(4711) as locked');
  if (rows[0].locked) await lead();
  session.release();
  await pause(500);
}

async function lead() {
  log('has the lock');
  for (;;) await sendInvoice();
}

async function sendInvoice() {
  const { rows } = await pool.query('select coalesce(max(number), 0) + 1 as number from sent');
  const { number } = rows[0];
  log(`begins invoice ${number}`);
  await pause(1000);
  await pool.query('insert into sent (number, sender) values ($1, $2)', [number, name]);
  log(`has sent invoice ${number}`);
}
