// The rows of a group in one partition of a topic.
import { type Rows, serverRows } from '@leadership/core/adapter';
import { logRows } from '@leadership/core/internal/rows';
import { kafkaError } from './errors.ts';
import type { MemberContext } from './member-context.ts';
import { TopicLog } from './topic/topic-log.ts';
import { oldMs } from './topic/topic-settings.ts';

/** How often the rows are copied, and the topic is checked. */
export interface RowsPace {
  /** Entries after which one of the members appends a copy of the rows. All members have the same. */
  readonly copyEvery?: number;
  /** How long after the last copy a member appends another one, in milliseconds. */
  readonly copyAfterMs?: number;
  /** The interval of the checks of the topic's settings, in milliseconds. */
  readonly checkMs?: number;
}

/** Retention by time removes no copy that is younger. Milliseconds. */
const copyAfterMsUsual = oldMs / 2;

/** Returns the rows of a group in one partition of the topic, which all groups of the topic share. */
export function kafkaRows(
  context: MemberContext,
  partition: number,
  { checkMs, copyAfterMs = copyAfterMsUsual, copyEvery }: RowsPace = {},
): Rows {
  const { group, host, clock, thresholdMs } = context;
  const log = new TopicLog({ context, partition, checkMs });
  const rows = logRows(log, {
    clock,
    random: host.random,
    group,
    copyAfterMs,
    ...(copyEvery !== undefined && { copyEvery }),
  });
  const served = serverRows(
    {
      name: log.name,
      traits: rows.traits,
      async open(signal, mayCreate) {
        if (!(await log.prepare(mayCreate, signal))) return { isMissing: true };
        await rows.open?.(signal, mayCreate);
        return {};
      },
      exchange: (request, signal) => rows.exchange(request, signal),
      close: () => rows.close(),
    },
    { host, thresholdMs, notifications: false, toError: (error, name) => kafkaError(error, name) },
  );
  // A reader of the log needs no connection for notifications.
  return { ...served, listen: async (wake, signal) => rows.listen?.(wake, signal) };
}
