// The statements of an exchange.
import { durably, sqlName, type Table } from './table.ts';

/** The statements of an exchange. */
export interface Statements {
  /** Reads. */
  readonly reading: string;
  /** Makes changes, and reads. */
  readonly exchange: string;
}

/**
 * SQL that is true if this server has been the primary for longer than `$1`, an interval: acknowledged
 * changes are lost when a server starts on an older disk or when a replica is promoted. A server has
 * been promoted before its last checkpoint if that one is on the present timeline; and not at all since
 * its start if it has replayed nothing. The time of a checkpoint is in whole seconds.
 */
export const agedSql = `select (pg_postmaster_start_time() < now() - $1::text::interval
  and (pg_last_wal_replay_lsn() is null or (
    c.timeline_id = ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int
    and c.checkpoint_time < now() - $1::text::interval - interval '1 s')))::text as aged
  from pg_control_checkpoint() c`;

/**
 * Returns the statements of a table. Parameters: the group; of the position its history, its place in
 * the log, its oldest running transaction, and the transactions that were read beyond; whether all
 * rows are wanted; since when the server of the position ran; the changes as JSON; the channel, and the content of its notifications. The row without a name is the summary.
 *
 * - A transaction that began before the position may commit after it. So a row counts as read if its
 *   transaction was over at the position, or is among those whose rows were read then. The list of
 *   running transactions in a snapshot would not do: it lacks those of savepoints.
 * - All rows are shown once the server has started again: its disk may be an older one, whose log has
 *   grown beyond the position meanwhile.
 * - `xmin` has 32 bits. Its transaction is the latest one with these bits that has begun. It also
 *   shows what a person has changed. It has no index: `age` leaves out most rows in little time.
 * - Rows that another transaction has locked are left out, as by `fence`: a renewal in the same batch
 *   must not wait.
 * - The rows are those of the snapshot, which is taken before the changes; a row that was changed here
 *   is as it is then. A change compares the newest version of its row, and refuses it if it is newer
 *   than the snapshot and differs.
 */
export function statementsOf(name: Table): Statements {
  const table = sqlName(name);
  const identity = `'${table.replaceAll("'", "''")}'::regclass::oid`;
  // On a replica these functions fail.
  const here = `here as materialized (
  select s.*, $6::text = 'true' or not s.is_same or s.started is distinct from $7::text as is_whole
  from (select s.*, $2::text is null or (s.history = $2::text and s.lsn >= $3::text::pg_lsn) as is_same
  from (select extract(epoch from pg_postmaster_start_time())::text as started,
    case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) || '/' || ${identity} end as history,
    case when not pg_is_in_recovery() then pg_current_wal_flush_lsn() end as lsn,
    pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1 as last) s) s)`;
  const recent = `recent as materialized (
  select r.name, r.text, h.last - ((h.last - r.xmin::text::bigint) & 4294967295) as xid
  from here h, ${table} r where r.group_name = $1
    and (h.is_whole or age(r.xmin) <= age(($4::text::bigint & 4294967295)::text::xid)))`;
  const changes = `wanted as materialized (
  select w.* from here h, json_to_recordset($8::text::json)
    as w (name text, expected text, text text, token bigint, "isAwaited" boolean, at int)
  where h.is_same and h.history is not null),
locked as materialized (
  select r.name from ${table} r join wanted w on r.name = w.name and r.text = w.expected
  where r.group_name = $1 order by r.name for update of r skip locked),
replaced as (
  update ${table} r set text = w.text, token = w.token from wanted w join locked l on l.name = w.name
  where r.group_name = $1 and r.name = w.name and r.text = w.expected and w.text is not null
  returning r.name, r.text),
removed as (
  delete from ${table} r using wanted w join locked l on l.name = w.name
  where r.group_name = $1 and r.name = w.name and r.text = w.expected and w.text is null
  returning r.name),
created as (
  insert into ${table} (group_name, name, text, token)
  select $1, w.name, w.text, w.token from wanted w where w.expected is null order by w.name
  on conflict (group_name, name) do nothing returning name, text)`;
  const nothing = 'select null::text as name, null::text as text where false';
  const made = (rows: string): string => `made as materialized (${rows})`;
  const summary = (more: string): string => `select null as name, json_build_object(
  'history', h.history, 'lsn', h.lsn, 'started', h.started, 'isSame', h.is_same, 'isWhole', h.is_whole, 'xmin', h.xmin::text,
  'made', (select coalesce(json_agg(m.name), '[]') from made m),
  'count', (select count(*) from ${table} r where r.group_name = $1)
    - (select count(*) from ${table} r join made m on m.name = r.name where r.group_name = $1)
    + (select count(*) from made m where m.text is not null),
  'seen', array(select distinct p.xid::text from recent p where p.xid >= h.xmin)
    ${more})::text as text from here h`;
  const rows = `select p.name, p.text from recent p, here h
  where p.name not in (select m.name from made m) and (h.is_whole
    or (p.xid >= $4::text::bigint and p.xid <> all ($5::text::bigint[])))
union all select m.name, m.text from made m`;
  const own = `|| case when exists (select from made) then array[pg_current_xact_id()::text] else '{}' end,
  'notified', (select count(pg_notify($9::text, $10::text || ' ' || o.outcomes)::text) from
    (select string_agg(case when m.name is null then '0' else '1' end, '' order by w.at) as outcomes,
      bool_or(w."isAwaited" and m.name is not null) as "isAwaited"
    from wanted w left join made m on m.name = w.name) o where o."isAwaited"),
  'durable', ${durably}`;
  const all =
    'select name, text from replaced union all select name, null from removed union all select name, text from created';
  return {
    reading: `with ${here}, ${recent}, ${made(nothing)} ${summary('')} union all ${rows}`,
    exchange: `with ${here}, ${recent}, ${changes}, ${made(all)} ${summary(own)} union all ${rows}`,
  };
}
