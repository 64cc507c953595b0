// A transaction on MySQL that only the leader can commit. A leader that is paused inside it, and
// overtaken meanwhile, cannot write.
import type { Term } from '@leadership/core';
import { fence } from '@leadership/mysql';
import type { Pool } from 'mysql2/promise';

/** Marks an invoice as sent. Rejects with `fenced` if another member leads meanwhile. */
export async function markSentOnMysql(pool: Pool, term: Term, invoice: string): Promise<void> {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    await fence(connection, term, { group: 'billing' });
    await connection.query('update invoices set sent = true where id = ?', [invoice]);
    await connection.commit();
    connection.release();
  } catch (error) {
    // Closes the connection, and the transaction with it.
    connection.destroy();
    throw error;
  }
}
