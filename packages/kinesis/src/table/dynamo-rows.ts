// The rows of a group as items of a DynamoDB table. All items of a group share one hash key, so that
// one query returns them all.
import type { LeadershipError } from '@leadership/core';
import { type RowChange, type RowOutcome, type Rows, sleep } from '@leadership/core/adapter';
import { isThrottled } from '../errors.ts';
import { type Item, keys, textField, textIn } from './layout.ts';
import type { Notifications } from './notifications.ts';
import { type Preparing, prepare } from './prepare.ts';
import type { Store } from './store.ts';
import type { Expected } from './table.ts';

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
    const use = { partitions, thresholdMs, homeRegion };
    const found = await prepare(table, { use, ifMissing, timeout });
    isMissing = !found.isThere;
    shortcoming?.[Symbol.dispose]();
    shortcoming =
      found.shortcoming === undefined || signal.aborted
        ? undefined
        : host.warning('misconfigured-backend', found.shortcoming);
  };
  return {
    name: `table "${table.name}"`,
    open: ({ signal, mayCreate }) =>
      open(mayCreate ? (create ? 'create' : 'refuse') : 'wait', signal),
    async list({ signal, mayLag }) {
      if (isMissing) await open('wait', signal);
      if (isMissing) return new Map();
      return texts.ofAll(await table.items(group, signal, !mayLag));
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
  const expected = expectedBy(change, texts);
  const key = { [keys.group]: { S: group }, [keys.item]: { S: name } };
  const outcome =
    text === null
      ? await table.remove(group, name, expected, signal)
      : await table.put({ ...key, [textField]: { S: text } }, expected, signal);
  if (outcome.done) return { isDone: true };
  // Without an item, it is unknown whether there is none or the service did not return it.
  return { isDone: false, ...(outcome.found && { found: texts.of(outcome.found) }) };
}

function expectedBy({ name, expected }: RowChange, texts: Texts): Expected {
  if (expected === null) return { [keys.item]: undefined };
  return { [keys.item]: { S: name }, [textField]: texts.attributeOf(name, expected) };
}

/** An attribute that a stranger wrote: missing or no string. */
interface Strange {
  readonly attribute: Item[string] | undefined;
  /** The text by which core knows it. */
  readonly text: string;
}

/** Converts the text attribute of items. */
class Texts {
  /** The strange attributes of the last read, by item. */
  #strange = new Map<string, Strange>();

  /** Returns the texts of all items of the group, by name. */
  ofAll(items: readonly Item[]): ReadonlyMap<string, string> {
    this.#strange = new Map();
    return new Map(items.map((item) => [nameIn(item), this.of(item)]));
  }

  of(item: Item): string {
    const own = textIn(item, textField);
    if (own !== undefined) return own;
    const attribute = item[textField];
    const text = `no text: ${JSON.stringify(attribute) ?? 'missing'}`;
    this.#strange.set(nameIn(item), { attribute, text });
    return text;
  }

  /** Returns the attribute of an item that was read as `text`. */
  attributeOf(name: string, text: string): Item[string] | undefined {
    const strange = this.#strange.get(name);
    return strange?.text === text ? strange.attribute : { S: text };
  }
}

function nameIn(item: Item): string {
  return textIn(item, keys.item) ?? '';
}
