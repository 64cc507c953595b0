// The rows of a group in one partition of a topic, and its partitions as stores that fail independently.
import { LeadershipError } from '@leadership/core';
import { type Exchanged, type Host, type Rows, serverRows } from '@leadership/core/adapter';
import { retryUntilDone } from '@leadership/core/internal/engine';
import { logRows, pinName, type Shards } from '@leadership/core/internal/rows';
import { hasErrorType, kafkaError } from './errors.ts';
import type { MemberContext } from './member-context.ts';
import { MemberTopic } from './topic/member-topic.ts';
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

/**
 * How long old records stay after a copy, in T: a member whose connection is lost or whose process stops
 * for less continues where it was, and is not in doubt.
 */
const cutThresholds = 3;
/** Retention by time removes no copy that is younger. Milliseconds. */
const copyAfterMsUsual = oldMs / 2;

/**
 * The longest pause between fetches that fail, in milliseconds. The cluster takes nine seconds to elect
 * another leader in place of a broker that has died, which is most of a long lease: it goes on only if
 * its member reads soon after that.
 */
const pauseMsMax = 500;

/** How often the log of a new topic is opened, and the pause between. Milliseconds. */
const [opensMax, opensMs] = [5, 100];
/** What a broker answers that does not lead a partition, or does not know it yet. */
const withoutLeader = ['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE'];

/** Returns the stores of a group: the first partitions of its topic. */
export function kafkaShards(context: MemberContext, pace: RowsPace = {}): Shards {
  const topic = new MemberTopic(context, pace.checkMs);
  return {
    count: () => Promise.resolve(topic.shards),
    open: (index) => kafkaRows(topic, index, pace),
  };
}

/** Returns the rows of a group in one partition of the topic, which all groups of the topic share. */
export function kafkaRows(
  topic: MemberTopic,
  partition: number,
  { copyAfterMs = copyAfterMsUsual, copyEvery }: RowsPace = {},
): Rows {
  const { group, host, clock, thresholdMs } = topic.context;
  const log = new TopicLog(topic, partition);
  const rows = logRows(log, {
    clock,
    random: host.random,
    group,
    copyAfterMs,
    cutAfterMs: cutThresholds * thresholdMs,
    pauseMsMax: Math.min(thresholdMs / 4, pauseMsMax),
    uncopied: (error) => {
      if (error === undefined) topic.warnings.mend(`copy ${partition}`);
      else topic.warnings.raise(`copy ${partition}`, grows(log.name, partition, error));
    },
    ...(copyEvery !== undefined && { copyEvery }),
  });
  let isObserver = true;
  const served = serverRows(
    {
      name: log.name,
      traits: rows.traits,
      async open(signal, mayCreate) {
        isObserver = !mayCreate;
        if (!(await log.prepare(mayCreate, signal))) return { isMissing: true };
        await opened(async () => rows.open?.(signal, mayCreate), host, signal);
        return {};
      },
      async exchange(request, signal) {
        // The topic was deleted: an observer waits for a member that creates it again.
        if (isObserver && log.isMissing && !(await log.prepare(false, signal))) return missing;
        const isFirst = request.changes.some(
          ({ name, expected }) => name === pinName && expected === null,
        );
        log.checkPins();
        if (isFirst) await log.agree(signal);
        const exchanged = await rows.exchange(request, signal);
        // The first exchange has read the pins.
        log.checkPins();
        return exchanged;
      },
      close: () => rows.close(),
    },
    { host, thresholdMs, notifications: false, toError: (error, name) => kafkaError(error, name) },
  );
  // A reader of the log needs no connection for notifications.
  return { ...served, listen: async (wake, signal) => rows.listen?.(wake, signal) };
}

function grows(name: string, partition: number, error: unknown): LeadershipError {
  const { code, message } = kafkaError(error, name, 'Write');
  const sentence = `${message}. Without a copy of the rows no old record is removed, and partition ${partition} grows`;
  return new LeadershipError(code, sentence, { cause: error });
}

/** Opens a log. The leader of a new topic may not know for a moment that it leads. */
async function opened(
  open: () => Promise<void>,
  { clock, random }: Pick<Host, 'clock' | 'random'>,
  signal: AbortSignal,
): Promise<void> {
  let tries = 0;
  const broke = (error: unknown): boolean => {
    tries += 1;
    return tries < opensMax && hasErrorType(error, ...withoutLeader);
  };
  const backOff = { firstMs: opensMs, lastMs: opensMs, random };
  await retryUntilDone({ attempt: open, broke }, backOff, clock, signal);
}

/** The rows in a topic that does not exist. */
const missing: Exchanged = { outcomes: [], rows: [], position: undefined, isWhole: true };
