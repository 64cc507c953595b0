// The statements of an exchange, which are sent in one request.
import { ownershipToken, type RowChange } from '@leadership/core/adapter';
import { literal, quoted } from './table.ts';

/** Where a reader is: which rows an exchange shows. */
export interface Since {
  /**
   * The server, the creation of its table, and its start. All changes, and answers without all rows,
   * depend on it.
   */
  readonly run: string;
  /**
   * The stamp of the exchange before the last one, since which the next one reads: exchanges that had
   * begun then may have committed later.
   */
  readonly since: string;
}

/** The statements of one table and group. */
export interface Statements {
  /** Makes changes, and reads since a stamp; all rows without one. */
  exchange(changes: readonly RowChange[], before: Since | undefined, isWhole?: boolean): string;
  /** Notes in a row without a group which server writes to the table, and since when. */
  readonly note: string;
}

/** SQL for the time of the server, in microseconds. */
const now = 'floor(unix_timestamp(now(6)) * 1000000)';

/** SQL for a number of 64 bits that depends on the name and the text of a row. */
const digest = `cast(conv(left(sha2(concat(name, x'00', text), 256), 16), 16, 10) as unsigned)`;

/**
 * Returns the statements of a group. `doubtMs`: for how long a server
 * that began to write may lack changes that a member relies on.
 *
 * - `uuid_short()` is the start of the server and a number that counts up. One names each exchange, and
 *   is the stamp of the rows that it changes. It shows in which order exchanges began, not in which
 *   order they committed; and a person who changes a row leaves its stamp. So every answer has a digest
 *   of all rows: a reader that would know others then asks for all of them.
 * - The history names the server, and the time when its table was created, as by the restore of a dump.
 *   A replica has another address or number.
 * - Rows that another transaction has locked are left out, as by `fence`: a renewal in the same batch
 *   must not wait. A row that was locked here is changed if the bit of its change is set.
 * - The rows are read after the commit. A member that stops while it receives a long answer then holds
 *   no lock.
 */
export function statementsOf(tableName: string, group: string, doubtMs: number): Statements {
  const table = quoted(tableName);
  const own = `group_name = ${literal(group)}`;
  const begin = `set @leadership_stamp = uuid_short(), @leadership_made = 0;
set @leadership_run = concat_ws('/', @@hostname, @@port, @@server_id,
  (select unix_timestamp(create_time) from information_schema.tables where table_schema = database() and table_name = ${literal(tableName)}),
  @leadership_stamp >> 24 & 4294967295)`;
  return {
    note: `${begin}; insert into ${table} (group_name, name, text, stamp) values ('', 'server', @leadership_run, ${now})
  on duplicate key update stamp = if(text = values(text), stamp, values(stamp)), text = values(text); select 1`,
    exchange(changes, before, isWhole = false) {
      const change = before === undefined || changes.length === 0 ? [] : changing(changes, before);
      const { run, since } = before ?? { run: '', since: '0' };
      const all = isWhole
        ? ''
        : ` and (stamp >= ${BigInt(since)} or @leadership_run <> ${literal(run)})`;
      return [
        begin,
        ...change,
        `${summary(before === undefined)}
union all select name, cast(text as binary), cast(stamp as char) from ${table} where ${own}${all}`,
      ].join(';\n');
    },
  };

  function summary(isFirst: boolean): string {
    const aged = `exists (select 1 from ${table} where group_name = '' and name = 'server' and text = @leadership_run
    and stamp <= ${now} - ${Math.ceil(doubtMs * 1000)})`;
    return `select null as name, concat_ws(x'0a', cast(@leadership_stamp as char), @@autocommit, concat('', @@global.read_only),
  @@global.innodb_flush_log_at_trx_commit, ${isFirst ? aged : '1'},
  (select bit_xor(${digest}) from ${table} where ${own}), cast(@leadership_made as char), @leadership_run) as text, null as stamp`;
  }

  function changing(changes: readonly RowChange[], { run }: Since): readonly string[] {
    const wanted = `json_table(@leadership_changes, '$[*]' columns (at int path '$.at',
  name text character set utf8mb4 path '$.name', expected mediumtext character set utf8mb4 path '$.expected',
  text mediumtext character set utf8mb4 path '$.text', token varchar(20) path '$.token')) as w`;
    const found = `${wanted} straight_join ${table} as r on r.${own} and r.name = cast(w.name as binary)`;
    const isLocked = '@leadership_made >> w.at & 1';
    return [
      `set @leadership_changes = convert(${literal(JSON.stringify(changes.map(asked)))} using utf8mb4)`,
      'set transaction isolation level read committed',
      'start transaction',
      `select bit_or(1 << w.at) into @leadership_made from ${found}
  where @leadership_run = ${literal(run)} and cast(r.text as binary) = cast(w.expected as binary) for update skip locked`,
      `update ${found} set r.text = w.text, r.token = w.token, r.stamp = @leadership_stamp where ${isLocked} and w.text is not null`,
      `delete r from ${found} where ${isLocked} and w.text is null`,
      `insert into ${table} (group_name, name, text, token, stamp)
  select ${literal(group)}, cast(w.name as binary), w.text, w.token, @leadership_stamp from ${wanted}
  where @leadership_run = ${literal(run)} and w.expected is null
    and not exists (select 1 from ${table} as r where r.${own} and r.name = cast(w.name as binary))
  order by w.name on duplicate key update stamp = stamp`,
      `select @leadership_made | bit_or(1 << w.at) into @leadership_made from ${found}
  where w.expected is null and r.stamp = @leadership_stamp`,
      'commit',
    ];
  }
}

/** A change as the statements read it. What is `null` is left out. */
function asked({ name, expected, text }: RowChange, at: number): object {
  const token = text === null ? undefined : ownershipToken(text);
  const texts = { expected: expected ?? undefined, text: text ?? undefined };
  return { at, name, ...texts, token: token?.toString() };
}
