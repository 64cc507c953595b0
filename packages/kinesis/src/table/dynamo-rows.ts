// The rows of a group as items of a DynamoDB table. All items of a group share one hash key, so that
// one query returns them all.
import type { LeadershipError } from '@leadership/core';
import { sleep } from '@leadership/core/adapter';
import type { RowChange, RowOutcome, Rows } from '@leadership/core/internal/lease';
import { isThrottled } from '../errors.ts';
import { keys, textField } from './layout.ts';
import type { Notifications } from './notifications.ts';
import { type Preparing, prepare } from './prepare.ts';
import type { Store } from './store.ts';
import { nameIn, Texts } from './texts.ts';

/** The configuration of the rows that is not part of the store. */
export interface DynamoRowsOptions {
  /** M. Together with T it gives the number of writes per second that the table needs. */
  readonly partitions: number;
  /** Whether a candidate creates a missing table. */
  readonly create: boolean;
  readonly notifications: Notifications;
  /** Closes the connections, once no request is pending. */
  readonly close: () => void;
}

/**
 * The longest extra pause after a throttled write, in T. The pause is random, so that writers that
 * were throttled together do not retry together. The engine itself retries after T/12.
 */
const throttledThresholds = 1 / 24;

/** Creates the rows of a group in a DynamoDB table. */
export function dynamoRows(store: Store, options: DynamoRowsOptions): Rows {
  const { table, group, clock, busy, host, thresholdMs, homeRegion, openingMs } = store;
  const { partitions, create, notifications } = options;
  const texts = new Texts();
  let shortcoming: Disposable | undefined;
  /** Whether an observer found no table, and waits for a member that creates it. */
  let isMissing = false;
  const open = async (ifMissing: Preparing['ifMissing'], signal: AbortSignal): Promise<void> => {
    const timeout = { clock, limitMs: openingMs, signal };
    const use = { renewals: partitions, thresholdMs, homeRegion };
    const found = await prepare(table, { use, ifMissing, timeout });
    isMissing = !found.isThere;
    shortcoming?.[Symbol.dispose]();
    shortcoming =
      found.shortcoming === undefined || signal.aborted
        ? undefined
        : host.warning('misconfigured-backend', `table "${table.name}": ${found.shortcoming}`);
  };
  return {
    name: `table "${table.name}"`,
    open: ({ signal, mayCreate }) =>
      open(mayCreate ? (create ? 'create' : 'refuse') : 'wait', signal),
    async list({ signal, mayLag }) {
      if (isMissing) await open('wait', signal);
      if (isMissing) return new Map();
      const items = await table.items(group, signal, { isConsistent: !mayLag });
      return new Map(items.map((item) => [nameIn(item), texts.of(item)]));
    },
    async replace(change, signal) {
      try {
        const outcome = await replace(store, change, texts, signal);
        // A retry of the SDK can lose to its own first attempt.
        const isChanged = outcome.isDone || outcome.found === change.text;
        if (isChanged && change.isAwaited) notifications.notify();
        return outcome;
      } catch (error) {
        if (isThrottled((error as LeadershipError).cause))
          await sleep(clock, throttledThresholds * thresholdMs * host.random(), signal);
        throw error;
      }
    },
    listen: (wake, signal) => notifications.listen(wake, signal),
    async close() {
      // The notification of the last release may be under way.
      await busy.settled(clock, thresholdMs);
      notifications.close();
      shortcoming?.[Symbol.dispose]();
      options.close();
    },
  };
}

async function replace(
  { table, group }: Store,
  change: RowChange,
  texts: Texts,
  signal: AbortSignal,
): Promise<RowOutcome> {
  const { name, text } = change;
  const expected = texts.expected(name, change.expected);
  const key = { [keys.group]: { S: group }, [keys.item]: { S: name } };
  const outcome =
    text === null
      ? await table.remove(group, name, expected, signal)
      : await table.put({ ...key, [textField]: { S: text } }, expected, signal);
  if (outcome.done) return { isDone: true };
  // Without an item, it is unknown whether there is none or the service did not return it.
  return { isDone: false, ...(outcome.found && { found: texts.of(outcome.found) }) };
}
