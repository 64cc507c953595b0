import type { Exchange, Exchanged, NamedText, RowChange, Rows } from '@leadership/core/adapter';
import type { RowsStore } from '@leadership/testkit';
import { noNotifications } from '../../src/table/notifications.ts';
import { openTable } from '../../src/table/open-table.ts';
import { sessionRows } from '../../src/table/session-rows.ts';
import { storeOf } from '../../src/table/store.ts';
import { fakeHost } from './fake-host.ts';
import type { LocalTable } from './local-table.ts';
import { MemberHandler } from './member-handler.ts';
import { putRow } from './strange-items.ts';

/** The T of the rows. Readings by T_max do not fall into a check. Milliseconds. */
const thresholdMs = 600_000;

/**
 * A table as rows. With a prefix, the names of all rows begin with it: `partition#` makes them rows of
 * partitions.
 */
export function storeOn(local: LocalTable, prefix = ''): RowsStore {
  const handlers = new Map<Rows, MemberHandler>();
  const open = (group: string, name = local.name): Rows => {
    const requestHandler = new MemberHandler();
    const opened = openTable({ table: name, dynamodb: { ...local.direct, requestHandler } });
    const settings = { table: opened.table, group, thresholdMs } as const;
    const host = fakeHost(crypto.randomUUID());
    const rows = sessionRows(storeOf(settings, host), {
      thresholdMsMax: thresholdMs,
      create: true,
      notifications: noNotifications,
      close: opened.close,
    });
    const named = prefix === '' ? rows : withPrefix(prefix, rows, host.incarnation);
    handlers.set(named, requestHandler);
    return named;
  };
  const isHead = prefix === '';
  return {
    name: 'DynamoDB',
    openRows: (group) => open(group),
    elsewhere: () => {
      const name = `elsewhere-${crypto.randomUUID()}`;
      return (group) => open(group, name);
    },
    holdsNul: true,
    cannot: {
      'open-transactions': 'a transaction is one request',
      'restored-backup': 'a backup is restored to another table',
      'promoted-replica': 'a table has no replica that members reach',
      notifications: 'a table does not notify: a stream does',
      'lagging-reads': 'an older reading of this reader looks like a newer one',
      ...(!isHead && {
        'hand-edits': 'a person does not count changes',
        'lost-replies': 'the renewal before the changes has no reply either',
      }),
    },
    ...(isHead && {
      loseReplies(rows: Rows) {
        const handler = handlers.get(rows);
        if (handler === undefined) throw new Error('unknown rows');
        return handler.way.inject('lost-replies');
      },
      put: (group: string, name: string, text: string | null) => putRow(local, group, name, text),
    }),
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  };
}

/**
 * Renames rows. As the machine does, each exchange that changes any begins with a renewal of the
 * member's session.
 */
function withPrefix(prefix: string, rows: Rows, incarnation: string): Rows {
  const name = `session#${incarnation}/1`;
  let session: string | null = null;
  let isKnown = true;
  let renewals = 0;
  const ask = async (request: Exchange, signal: AbortSignal): Promise<Exchanged> => {
    isKnown = false;
    const answer = await rows.exchange(request, signal);
    isKnown = true;
    for (const [row, text] of answer.rows) if (row === name) session = text;
    if (answer.outcomes[0]) session = request.changes[0]?.text ?? session;
    return answer;
  };
  const renewal = (): RowChange => {
    renewals += 1;
    return { name, expected: session, text: String(renewals) };
  };
  return {
    ...rows,
    async exchange(request, signal) {
      if (!isKnown) await ask({ ...request, changes: [] }, signal);
      const changes = request.changes.map((change) => ({ ...change, name: prefix + change.name }));
      const first = changes.length === 0 ? [] : [renewal()];
      const answer = await ask({ ...request, changes: [...first, ...changes] }, signal);
      return {
        ...answer,
        outcomes: answer.outcomes.slice(first.length),
        rows: answer.rows
          .filter(([row]) => row.startsWith(prefix))
          .map(([row, text]): NamedText => [row.slice(prefix.length), text]),
      };
    },
  };
}
