// A transaction that only the leader can commit. A leader that is paused inside it, and overtaken
// meanwhile, cannot write.
import type { Term } from '@leadership/core';
import { fence } from '@leadership/postgres';
import type pg from 'pg';

/** Marks an invoice as sent. Rejects with `fenced` if another member leads meanwhile. */
export async function markSent(pool: pg.Pool, term: Term, invoice: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await fence(client, term, { group: 'billing' });
    await client.query('update invoices set sent = true where id = $1', [invoice]);
    await client.query('commit');
    client.release();
  } catch (error) {
    // Closes the connection, and the transaction with it.
    client.release(true);
    throw error;
  }
}
