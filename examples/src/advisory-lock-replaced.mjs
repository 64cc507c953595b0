// One process at a time sends invoices: leadership replaces the advisory lock.
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { lead } from '@leadership/core';
import { fence } from '@leadership/postgres';
import pg from 'pg';

const member = process.argv[2];
const log = (text) => console.log(new Date().toISOString().slice(14, 23), member, text);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
pool.on('error', ({ message }) => log(`warning: ${message}`));

const connection = process.env.DATABASE_URL;
await lead('postgres:?group=invoices', sendInvoices, { member, connection });
await pool.end();

async function sendInvoices(term) {
  log(`leads in term ${term.token}`);
  while (!term.signal.aborted) await sendInvoice(term);
  log('leads no longer');
}

async function sendInvoice(term) {
  const { rows } = await pool.query('select coalesce(max(number), 0) + 1 as number from sent');
  const { number } = rows[0];
  log(`begins invoice ${number}`);
  await pause(1000);
  if (!term.isCurrent()) return;
  const client = await pool.connect();
  try {
    await client.query('begin');
    await fence(client, term, { group: 'invoices' }); // rejects if another member has led since
    await client.query('insert into sent (number, sender) values ($1, $2)', [number, member]);
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true); // closes the connection, and the transaction with it
    throw error;
  }
  log(`has sent invoice ${number}`);
}
