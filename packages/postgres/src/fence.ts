// Transactional fencing: a transaction that locks the term of its leader in the register. A row lock
// `for key share` is compatible with a renewal, which leaves the token of the row as it is, and not
// with a claim or a release, which change it: the token is a column of a unique key.
import { randomUUID } from 'node:crypto';
import { LeadershipError, type Term } from '@leadership/core';
import { check, codeIn, partitionName } from '@leadership/core/adapter';
import { rowsIn, type SendQuery } from './connections.ts';
import { hasTermKey, sqlName, type TableName, tableOf, withoutTermKey } from './table.ts';

/**
 * A client of `pg` inside a transaction, or a function that sends a statement in the transaction,
 * for other drivers.
 */
export type FenceClient = SendQuery | { readonly query: SendQuery };

/** The part of a `Term` that a fence needs. */
export type FenceTerm = Pick<Term, 'partition' | 'token' | 'isCurrent'>;

/** The group of the term, and a limit of the transaction. */
export interface FenceOptions extends TableName {
  /** The group of the source that the term comes from. */
  readonly group: string;
  /**
   * The longest time that a statement of the transaction may take from now on, and that it may be
   * idle between two statements; then the server aborts it. A successor waits for that long if the
   * leader stops inside the transaction. A whole number of milliseconds, from 1. Default 5000.
   */
  readonly limitMs?: number;
}

const limitMsDefault = 5000;
/** The greatest value of a time-out of Postgres. Milliseconds. */
const limitMsMax = 2 ** 31 - 1;

/**
 * Makes the transaction of `client` commit only if `term` is still current. Call it inside a
 * transaction in the database of the group, but outside every savepoint and nested transaction:
 * rolling back to a savepoint would drop the lock. Call it before or after the other statements.
 * From then on the transaction holds a lock: no other member can begin a term of that partition
 * before the transaction ends, and the leader still renews its lease. Works at every isolation level.
 *
 * @throws LeadershipError `fenced` if the term is over; the transaction can then only be rolled
 * back. `invalid-options` if the client is not inside a transaction, or inside a savepoint.
 * `misconfigured-backend` if the table lacks the key that makes a new term wait. Errors of the driver
 * pass unchanged, such as a serialization failure, after which the application repeats the
 * transaction.
 */
export async function fence(
  client: FenceClient,
  term: FenceTerm,
  { group, limitMs = limitMsDefault, ...name }: FenceOptions,
): Promise<void> {
  check(
    Number.isInteger(limitMs) && limitMs >= 1 && limitMs <= limitMsMax,
    `fence: limitMs ${limitMs} must be a whole number of milliseconds from 1 to ${limitMsMax}`,
  );
  const send: SendQuery =
    typeof client === 'function' ? client : (text, values) => client.query(text, values);
  const table = tableOf(name);
  const mark = randomUUID();
  await begin(send, mark, limitMs);
  const isMarked = `(current_setting('leadership.fence', true) = $1)::text as marked`;
  const locked = rowsIn(
    await send(
      `select ${isMarked}, ${hasTermKey('$5')}::text as keyed from ${sqlName(table)} where group_name = $2 and name = $3 and token = $4::bigint for key share`,
      [mark, group, partitionName(term.partition), String(term.token), sqlName(table)],
    ),
  );
  const isKeyed = locked[0]?.['keyed'] !== 'false';
  const isMissing = locked.length === 0 || !term.isCurrent();
  if (isKeyed && !isMissing && locked[0]?.['marked'] === 'true') return;
  const { marked } = rowsIn(await send(`select ${isMarked}`, [mark]))[0] ?? {};
  if (marked !== 'true')
    throw new LeadershipError(
      'invalid-options',
      'fence: the client is not inside a transaction: send BEGIN with the same client first',
    );
  await abortTransaction(send);
  if (!isKeyed) throw withoutTermKey(table);
  throw new LeadershipError(
    'fenced',
    `fence: the term with token ${term.token} of partition ${term.partition} is over: roll back`,
  );
}

/**
 * Marks the transaction, and limits it. Outside a transaction, the mark ends with the statement. A
 * snapshot can be exported neither from a savepoint, which may be rolled back alone, nor from a
 * transaction that is prepared later (`PREPARE TRANSACTION`), which could block successors without end.
 */
async function begin(send: SendQuery, mark: string, limitMs: number): Promise<void> {
  const limited = ['statement_timeout', 'idle_in_transaction_session_timeout'].map(loweredTimeout);
  const sql = `select pg_export_snapshot(), set_config('leadership.fence', $1, true), ${limited.join(', ')}`;
  try {
    await send(sql, [mark, `${limitMs}ms`]);
  } catch (error) {
    if (codeIn(error) !== activeTransaction) throw error;
    throw new LeadershipError(
      'invalid-options',
      'fence: the client is inside a savepoint or a nested transaction, and rolling that back would drop the lock: call fence in the outer transaction',
      { cause: error },
    );
  }
}

/** The code of Postgres for a statement that a transaction does not permit. */
const activeTransaction = '25001';

/** Makes the transaction fail, so that it cannot commit even if the caller ignores the error. */
async function abortTransaction(send: SendQuery): Promise<void> {
  const sql = `do $$ begin raise exception 'leadership: the term is over'; end $$`;
  await Promise.resolve(send(sql, [])).catch(() => undefined);
}

/** Returns SQL that lowers a time-out of this transaction to `$2`; 0 means that there is none. */
function loweredTimeout(name: string): string {
  const current = `current_setting('${name}')`;
  return `set_config('${name}', case when ${current}::interval between '1 us' and $2::text::interval then ${current} else $2 end, true)`;
}
