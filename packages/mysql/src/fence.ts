// Transactional fencing: a transaction that locks the row of the partition. The lock is shared: it is
// compatible with the locks of other transactions, and not with a claim or a release, which change the
// row. A renewal changes the row of the session, and not this one.
import { LeadershipError, type Term } from '@leadership/core';
import { check, codeIn, partitionName } from '@leadership/core/adapter';
import { defaultTable, literal, quoted, type TableName } from './table.ts';

/**
 * A connection of `mysql2/promise` inside a transaction, or a function that sends one statement in the
 * transaction and resolves with its rows, for other drivers.
 */
export type FenceClient = ((sql: string) => PromiseLike<unknown>) | { readonly query: SendOne };

/** Sends one statement, and resolves with its rows first, as a connection of `mysql2/promise` does. */
export type SendOne = (sql: string) => PromiseLike<readonly [unknown, ...unknown[]]>;

/** The part of a `Term` that a fence needs. */
export type FenceTerm = Pick<Term, 'partition' | 'token' | 'isCurrent'>;

/** The group of the term, and a limit of the transaction. */
export interface FenceOptions extends TableName {
  /** The group of the source that the term comes from. */
  readonly group: string;
  /**
   * For how long the transaction may be idle between two statements; then the server closes the
   * connection. A successor waits for that long if the leader stops inside the transaction. Rounded up
   * to whole seconds, from 1000 to a day. Default 5000.
   */
  readonly limitMs?: number;
}

const [limitMsMin, limitMsMax] = [1000, 86_400_000];

/**
 * Makes the transaction of `client` commit only if `term` is still current. Call it inside a
 * transaction in the database of the group, before or after the other statements, but outside every
 * savepoint and nested transaction: rolling back to a savepoint may drop the lock, and no statement
 * shows that. From then on the transaction holds a lock: no other member can begin a term of that partition before the transaction
 * ends, and the leader still renews its lease. Works at every isolation level.
 *
 * @throws LeadershipError `fenced` if the term is over: the transaction is rolled back, and nothing can
 * be written before the application sends `ROLLBACK` or `COMMIT`. `invalid-options` if the client is not inside a
 * transaction. Errors of the driver pass unchanged, such as a deadlock, after which the application
 * repeats the transaction.
 */
export async function fence(
  client: FenceClient,
  term: FenceTerm,
  { group, table = defaultTable, limitMs = 5000 }: FenceOptions,
): Promise<void> {
  check(
    Number.isFinite(limitMs) && limitMs >= limitMsMin && limitMs <= limitMsMax,
    `fence: limitMs ${limitMs} must be a number of milliseconds from ${limitMsMin} to ${limitMsMax}`,
  );
  const send = async (sql: string): Promise<unknown> =>
    typeof client === 'function' ? client(sql) : (await client.query(sql))[0];
  // Outside a transaction, a savepoint ends with its statement.
  await send('savepoint leadership_fence');
  await send(limited(Math.ceil(limitMs / 1000)));
  const locked = await send(
    `select 1 from ${quoted(table)} where group_name = ${literal(group)} and name = ${literal(partitionName(term.partition))} and token = ${term.token} lock in share mode`,
  );
  await send('release savepoint leadership_fence').catch((error: unknown) => {
    if (codeIn(error) !== 'ER_SP_DOES_NOT_EXIST') throw error;
    throw new LeadershipError(
      'invalid-options',
      'fence: the client is not inside a transaction: send START TRANSACTION with the same client first',
      { cause: error },
    );
  });
  if (Array.isArray(locked) && locked.length > 0 && term.isCurrent()) return;
  // The caller may ignore the error, and go on. Nothing of another caller may come between the two.
  await Promise.all([send('rollback'), send('start transaction read only')]);
  throw new LeadershipError(
    'fenced',
    `fence: the term with token ${term.token} of partition ${term.partition} is over: roll back`,
  );
}

/**
 * Returns SQL that limits how long the transaction may be idle. MariaDB has a variable for that, and
 * executes the first comment; MySQL executes the second one, and limits every wait of the connection.
 */
function limited(seconds: number): string {
  const least = (name: string): string =>
    `session ${name} = if(@@session.${name} between 1 and ${seconds}, @@session.${name}, ${seconds})`;
  return `set @leadership_fence = null /*M!100300 , ${least('idle_transaction_timeout')} */ /*!80000 , ${least('wait_timeout')} */`;
}
