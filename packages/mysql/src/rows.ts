// The rows of a group in a table of MySQL: one request makes the changes and reads what has changed.
import { createHash } from 'node:crypto';
import { LeadershipError } from '@leadership/core';
import {
  check,
  codeIn,
  type Exchanged,
  type Host,
  type Inspection,
  type NamedText,
  type Rows,
  type RowsTraits,
  type ServerExchange,
  type ServerRows,
  serverRows,
} from '@leadership/core/adapter';
import type { Connections, ResultRow } from './connections.ts';
import { mysqlError } from './errors.ts';
import { type Since, type Statements, statementsOf } from './statements.ts';
import { bytesMax, checkConnected, isOn, prepare } from './table.ts';

/** The configuration of the rows. */
export interface MysqlRowsOptions {
  readonly group: string;
  readonly table: string;
  readonly create: boolean;
  readonly thresholdMs: number;
  /** For how long a server that was promoted or restored may lack changes that somebody relies on (M6). */
  readonly doubtMs: number;
}

/** The knowledge of a reader about a row. */
type KnownRow = Readonly<{ text: string; digest: bigint; stamp: bigint }>;

/** Where a reader is. */
interface Position extends Since {
  /** The stamp of the exchange that read. */
  readonly stamp: string;
  readonly known: ReadonlyMap<string, KnownRow>;
}

/** An answer, and whether the reader then knows all rows as they are. */
type Answer = Exchanged & { readonly position: Position; readonly isComplete: boolean };

/** Returns the rows of a group, over the connections of one member. */
export function mysqlRows(connections: Connections, options: MysqlRowsOptions, host: Host): Rows {
  const server = new MysqlRows(connections, options);
  return serverRows(server, { ...options, host, toError: mysqlError });
}

class MysqlRows implements ServerRows {
  readonly name: string;
  /** The outcome of each change is a bit of a number of the server. */
  readonly traits: RowsTraits = { changesMax: 64 };
  readonly #connections: Connections;
  readonly #options: MysqlRowsOptions;
  readonly #statements: Statements;
  #mayCreate = false;

  constructor(connections: Connections, options: MysqlRowsOptions) {
    const { table, group, doubtMs } = options;
    this.name = `table "${table}"`;
    this.#connections = connections;
    this.#options = options;
    this.#statements = statementsOf(table, group, doubtMs);
  }

  async open(signal: AbortSignal, mayCreate: boolean): Promise<Inspection> {
    const { table, create } = this.#options;
    this.#mayCreate = mayCreate;
    const missing = mayCreate ? (create ? 'create' : 'refuse') : 'wait';
    const found = await prepare(this.#connections, table, missing, signal);
    if (mayCreate) await this.#connections.query(this.#statements.note, signal);
    return found;
  }

  inspect(signal: AbortSignal): Promise<Inspection> {
    return prepare(this.#connections, this.#options.table, 'wait', signal);
  }

  async exchange(request: ServerExchange, signal: AbortSignal): Promise<Exchanged> {
    const answer = await this.#ask(request, signal);
    if (answer.isComplete) return answer;
    // Rows were removed or changed by a person, or an exchange that had begun long ago has committed.
    const reading = { changes: [], notification: undefined, isWhole: true };
    const whole = await this.#ask({ ...reading, since: answer.position }, signal);
    if (whole.position.run !== answer.position.run) throw replaced();
    return { ...whole, outcomes: answer.outcomes };
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #ask(request: ServerExchange, signal: AbortSignal): Promise<Answer> {
    for (const { name } of request.changes)
      check(Buffer.byteLength(name) <= bytesMax.row, `the name ${name} is too long for a row`);
    const before = request.since as Position | undefined;
    const sql = this.#statements.exchange(request.changes, before, request.isWhole);
    const send = (): Promise<readonly ResultRow[]> => this.#connections.query(sql, signal);
    const result = await send().catch((error: unknown) => {
      // It has rolled everything back: two members created rows that each of them had locked.
      if (codeIn(error) === 'ER_LOCK_DEADLOCK') return send();
      throw error;
    });
    const answer = answerOf(result, request);
    const isReplaced = before !== undefined && answer.position.run !== before.run;
    if (isReplaced && this.#mayCreate) await this.#connections.query(this.#statements.note, signal);
    return answer;
  }
}

/** Reads a result: a summary, and the rows. */
function answerOf(
  result: readonly ResultRow[],
  { changes, since, isWhole: isAsked = false }: ServerExchange,
): Answer {
  const before = since as Position | undefined;
  const summary = summaryIn(textIn(result.find(({ name }) => name === null)?.['text']));
  const { stamp, run, made } = summary;
  const isSame = before?.run === run;
  const isMade = (index: number): boolean => ((made >> BigInt(index)) & 1n) === 1n;
  if (made > 0n && !isSame) throw replaced();
  const isWhole = isAsked || !isSame;
  const shown = new Map<string, KnownRow>();
  for (const row of result.filter(({ name }) => name !== null)) {
    const [name, text] = [textIn(row['name']), textIn(row['text'])];
    shown.set(name, { text, digest: digestOf(name, text), stamp: BigInt(textIn(row['stamp'])) });
  }
  const removed = changes
    .filter(({ name, text }, index) => text === null && isMade(index) && !shown.has(name))
    .map(({ name }) => name);
  const known = new Map([...(isWhole ? [] : before.known), ...shown]);
  for (const name of removed) known.delete(name);
  const total = [...known.values()].reduce((sum, { digest }) => sum ^ digest, 0n);
  return {
    outcomes: changes.map((_, index) => isMade(index)),
    rows: [
      ...removed.map((name): NamedText => [name, null]),
      ...[...shown].map(([name, { text }]): NamedText => [name, text]),
    ],
    position: { run, stamp, since: isSame ? before.stamp : stamp, known },
    isWhole,
    ...(isLost(before, summary, shown) && { isRestarted: true }),
    isComplete: isWhole || total === summary.digest,
  };
}

type Summary = ReturnType<typeof summaryIn>;

/** Reads the row without a name. */
function summaryIn(text: string) {
  const [stamp = '', autocommit, readOnly, flushed, aged, digest = '', made = '', run = ''] =
    text.split('\n');
  checkConnected(readOnly, autocommit);
  // A crash of the server loses no change that it has acknowledged if each commit waits for the disk.
  const isDurable = flushed === '1';
  const numbers = { digest: BigInt(digest), made: BigInt(made) };
  return { stamp, run, isDurable, isAged: isOn(aged), ...numbers };
}

/**
 * Returns whether changes that were acknowledged may be lost since a position, or before the first
 * reading if the server has not served for long: then a new group has lost none. Another server, or
 * another table, may lack them. The same server has lost none in a restart if each commit waits for
 * the disk, and if it shows no row as it was earlier, as a disk does that was restored.
 */
function isLost(
  before: Position | undefined,
  { run, isDurable, isAged }: Summary,
  shown: ReadonlyMap<string, KnownRow>,
): boolean {
  if (before === undefined) return shown.size > 0 && !isAged;
  if (run === before.run) return false;
  const isEarlier = [...shown].some(
    ([name, { stamp }]) => stamp < (before.known.get(name)?.stamp ?? 0n),
  );
  return placeOf(run) !== placeOf(before.run) || !isDurable || isEarlier;
}

/** Returns the part of a run that a restart of the same server leaves. */
function placeOf(run: string): string {
  return run.slice(0, run.lastIndexOf('/'));
}

/** As `digest` of the statements. */
function digestOf(name: string, text: string): bigint {
  const hash = createHash('sha256').update(`${name}\0${text}`).digest('hex');
  return BigInt(`0x${hash.slice(0, 16)}`);
}

/** Drivers return bytes or texts. */
function textIn(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
}

function replaced(): LeadershipError {
  return new LeadershipError('unreachable', 'the server was replaced during a request');
}
