// The rows of a group as keys of etcd: one key for each row, and one for notifications. One transaction
// makes the changes and reads what has changed.
import { LeadershipError } from '@leadership/core';
import {
  checkVersion,
  type Exchanged,
  type Inspection,
  misconfigured,
  type NamedText,
  type NotificationListener,
  ReplyError,
  type RowChange,
  type Rows,
  type RowsTraits,
  type ServerExchange,
  type ServerHost,
  type ServerRows,
  serverRows,
} from '@leadership/core/adapter';
import { etcdError, OtherCluster } from './errors.ts';
import type { Gateway, KnownCluster, Reply } from './gateway.ts';
import type { EtcdOptions } from './options.ts';
import { bytesOf, textOf } from './text.ts';

/** The configuration of the rows. */
export type EtcdRowsOptions = Required<
  Pick<EtcdOptions, 'group' | 'prefix' | 'thresholdMs' | 'notifications'>
> & {
  /** For how long servers that were restored may lack changes that somebody relies on (M6). */
  readonly doubtMs: number;
};

/** Where a reader is. */
interface Position {
  /** The cluster that answered. One that is restored from a snapshot has another identity. */
  readonly cluster: string;
  /** The revision of the cluster. A smaller one shows that changes were lost. */
  readonly revision: string;
  /**
   * The revision of the last request that changed the group; 0 if there was none. Each request that
   * changes rows writes the key for notifications, which then has this revision.
   */
  readonly changed: string;
  /**
   * The names of all rows: a removed row shows in their number only. Later positions add to the
   * same set; a name too many costs one more request.
   */
  readonly names: Set<string>;
}

/** The part of a reply that is used. The gateway leaves out what is 0, false or empty. */
interface RangeReply {
  readonly header?: { readonly cluster_id?: string; readonly revision?: string };
  readonly kvs?: readonly KeyValue[];
  readonly count?: string;
}

/** A key and its value, in Base64. */
interface KeyValue {
  readonly key: string;
  readonly value?: string;
  readonly mod_revision?: string;
}

interface TxnReply extends Pick<RangeReply, 'header'> {
  readonly succeeded?: boolean;
  readonly responses?: readonly {
    readonly response_range?: RangeReply;
    readonly response_txn?: { readonly succeeded?: boolean };
  }[];
}

/** The part of a message of a watch that is used. */
interface WatchReply {
  readonly created?: boolean;
  readonly canceled?: boolean;
  readonly cancel_reason?: string;
  readonly events?: readonly { readonly kv?: KeyValue }[];
}

/** The content of a reply, before it is compared with the number of rows. */
interface Found extends Omit<Exchanged, 'outcomes'> {
  readonly position: Position;
  /** Whether rows were removed that it does not show. */
  readonly isIncomplete: boolean;
}

/** The oldest release line that is supported. Older ones have no watch that ends with the leader. */
const oldest = '3.5';

/**
 * By default a transaction has at most 128 operations, of which one level of nesting takes one. Two
 * more notify and read.
 */
const changesMax = 125;

/** A notification that reaches no member, of changes that others need not know at once. */
const nothing = '{"from":""}';

/** Returns the rows of a group, over the gateway of one member. */
export function etcdRows(gateway: Gateway, options: EtcdRowsOptions, host: ServerHost): Rows {
  const server = new EtcdRows(gateway, options);
  return serverRows(server, { ...options, host, toError: etcdError });
}

class EtcdRows implements ServerRows {
  readonly name: string;
  readonly traits: RowsTraits = { changesMax };
  readonly #gateway: Gateway;
  /** The beginning of the keys of the group. This key itself is the one for notifications. */
  readonly #base: string;
  readonly #doubtMs: number;
  /** The keys of the rows: all that are longer. The character after "/" is "0". */
  readonly #range: { readonly key: string; readonly range_end: string };

  constructor(gateway: Gateway, options: EtcdRowsOptions) {
    this.#base = `${options.prefix}${encodeURIComponent(options.group)}/`;
    this.name = `etcd, keys "${this.#base}"`;
    this.#gateway = gateway;
    this.#doubtMs = options.doubtMs;
    this.#range = {
      key: bytesOf(`${this.#base}\0`),
      range_end: bytesOf(this.#base.replace(/\/$/, '0')),
    };
  }

  /** Creates nothing: keys need no place. */
  async open(signal: AbortSignal): Promise<Inspection> {
    const { etcdserver } = await this.#gateway.call('/version', undefined, signal);
    const version = String(etcdserver);
    if (!/^\d+\.\d+\./.test(version))
      throw misconfigured('the server is not etcd: correct the endpoints');
    checkVersion('etcd', version, oldest);
    return {};
  }

  async exchange(request: ServerExchange, signal: AbortSignal): Promise<Exchanged> {
    const { changes, since, isWhole = false } = request;
    const before = since as Position | undefined;
    if (before === undefined) return answerOf(await this.#first(signal), []);
    if (changes.length === 0) {
      const found = await this.#read(before, isWhole, signal);
      return answerOf(await this.#completed(found, signal), []);
    }
    let isOther = false;
    const answer = await this.#change(request, before, signal).catch((error: unknown) => {
      isOther = error instanceof OtherCluster;
      if (!isOther) throw error;
      return undefined;
    });
    if (answer !== undefined) return answer;
    const found = await this.#read(before, true, signal);
    const { isRestarted = isOther } = found;
    if (isRestarted) return answerOf({ ...found, isRestarted }, request.changes.map(refused));
    // A person has deleted the key for notifications.
    const again = await this.#change({ ...request, isWhole: true }, found.position, signal);
    return again ?? wasRestored();
  }

  /** Watches for notifications until the signal aborts. Throws when the watch ends before. */
  async listen({ listening, notified }: NotificationListener, signal: AbortSignal): Promise<void> {
    const request = { create_request: { key: bytesOf(this.#base) } };
    for await (const reply of this.#gateway.stream('/v3/watch', request, signal)) {
      const {
        canceled,
        cancel_reason,
        created,
        events = [],
      } = (reply['result'] ?? {}) as WatchReply;
      if (canceled) throw new ReplyError('watch', cancel_reason ?? 'canceled');
      if (created) listening();
      for (const { kv } of events) notified(textOf(kv?.value ?? ''));
    }
  }

  close(): void {
    this.#gateway.close();
  }

  /**
   * Makes the changes and reads; `undefined` if the group went back behind the position. A transaction can
   * compare neither the identity of its cluster nor its revision: the gateway sends it over connections
   * to that cluster only, and it compares the revision of the last change of the group. It must not
   * read at a revision: only the server that gets the request refuses one that is missing or
   * compacted, and all others make the changes (etcd issue 18667).
   */
  async #change(
    { changes, isWhole = false, notification }: ServerExchange,
    before: Position,
    signal: AbortSignal,
  ): Promise<Exchanged | undefined> {
    const key = bytesOf(this.#base);
    const last = String(BigInt(before.changed) - 1n);
    const compare = [{ key, target: 'MOD', result: 'GREATER', mod_revision: last }];
    // Without a condition: a notification too many is read for nothing.
    const notified = { request_put: { key, value: bytesOf(notification ?? nothing) } };
    const reading = { request_range: { ...this.#range, ...(isWhole ? {} : sinceOf(before)) } };
    const success = [...changes.map((change) => this.#conditional(change)), notified, reading];
    const reply = (await this.#call('txn', { compare, success }, signal, before)) as TxnReply;
    const { header = {}, responses = [], succeeded } = reply;
    if (succeeded !== true) return undefined;
    const outcomes = changes.map((_, index) => responses[index]?.response_txn?.succeeded === true);
    const removed = changes
      .filter(({ text }, index) => text === null && outcomes[index])
      .map(({ name }) => name);
    const shown = { ...responses.at(-1)?.response_range, header };
    const found = this.#found(shown, before, isWhole, removed, header.revision);
    // As the rows were then: later ones do not rest on this renewal (M3).
    return answerOf(await this.#completed(found, signal, header.revision), outcomes);
  }

  #conditional({ name, expected, text }: RowChange): object {
    const key = bytesOf(this.#base + name);
    const condition =
      expected === null
        ? { target: 'CREATE', create_revision: '0' }
        : { target: 'VALUE', value: bytesOf(expected) };
    const written =
      text === null
        ? { request_delete_range: { key } }
        : { request_put: { key, value: bytesOf(text) } };
    return {
      request_txn: { compare: [{ key, result: 'EQUAL', ...condition }], success: [written] },
    };
  }

  /**
   * Reads all rows for the first time. Acknowledged changes may be missing unless the cluster has run
   * longer than any member relies on them: to restore a cluster, all its servers are stopped.
   */
  async #first(signal: AbortSignal): Promise<Found> {
    const found = await this.#read(undefined, true, signal);
    if (found.rows.length === 0) return found;
    const ageMs = await this.#gateway.ageMs(this.#only(found.position), signal);
    return ageMs !== undefined && ageMs >= this.#doubtMs ? found : { ...found, isRestarted: true };
  }

  /** Reads what has changed since a position, or all, as it is or was at a revision. */
  async #read(
    before: Position | undefined,
    isWhole: boolean,
    signal: AbortSignal,
    revision?: string,
  ): Promise<Found> {
    const since = before === undefined || isWhole ? {} : sinceOf(before);
    const range = { ...this.#range, key: bytesOf(this.#base), ...since, revision };
    const reply = (await this.#call('range', range, signal)) as RangeReply;
    const found = this.#found(reply, before, isWhole);
    const isRestarted = before !== undefined && isBehind(found.position, before);
    if (isRestarted && !isWhole) return this.#restarted(signal);
    return { ...found, ...(isRestarted && { isRestarted }) };
  }

  async #restarted(signal: AbortSignal): Promise<Found> {
    return { ...(await this.#read(undefined, true, signal)), isRestarted: true };
  }

  /** Reads everything where rows were removed: the reply could not show which. */
  async #completed(found: Found, signal: AbortSignal, revision?: string): Promise<Found> {
    if (!found.isIncomplete) return found;
    const whole = await this.#read(found.position, true, signal, revision);
    return whole.isRestarted ? wasRestored() : whole;
  }

  /**
   * Returns what a reply shows. `changedAt`: the revision at which the request itself has changed the
   * group; otherwise the reply has the key for notifications too.
   */
  #found(
    { header, kvs = [], count = '0' }: RangeReply,
    before: Position | undefined,
    isWholeWanted: boolean,
    removed: readonly string[] = [],
    changedAt?: string,
  ): Found {
    const known = isWholeWanted ? undefined : before;
    const names = known === undefined || removed.length > 0 ? new Set(known?.names) : known.names;
    for (const name of removed) names.delete(name);
    const own = bytesOf(this.#base);
    const notified = kvs.find(({ key }) => key === own)?.mod_revision;
    const changed = changedAt ?? notified ?? known?.changed ?? '0';
    const rows = kvs
      .filter(({ key }) => key !== own)
      .map(
        ({ key, value = '' }): NamedText => [textOf(key).slice(this.#base.length), textOf(value)],
      );
    for (const [name] of rows) names.add(name);
    const keys = names.size + Number(changedAt === undefined && changed !== '0');
    const { cluster_id: cluster = '', revision = '0' } = header ?? {};
    return {
      rows: [...rows, ...removed.map((name): NamedText => [name, null])],
      position: { cluster, revision, changed, names },
      isWhole: known === undefined,
      isIncomplete: keys !== Number(count),
    };
  }

  /** `position`: only its cluster may receive the request. */
  #call(
    what: 'range' | 'txn',
    body: object,
    signal: AbortSignal,
    position?: Position,
  ): Promise<Reply> {
    const only = position && this.#only(position);
    return this.#gateway.call(`/v3/kv/${what}`, body, signal, only);
  }

  #only({ cluster }: Position): KnownCluster {
    return { id: cluster, range: { key: bytesOf(this.#base), count_only: true } };
  }
}

/**
 * The part of a range that selects what has changed since a position: what members have changed after
 * the last change that it knows, and again what persons have.
 */
function sinceOf({ changed }: Position): { readonly min_mod_revision: string } {
  return { min_mod_revision: String(BigInt(changed) + 1n) };
}

/** Returns whether a reply is of another cluster, or of one that went back behind a position. */
function isBehind(now: Position, before: Position): boolean {
  const isLess = (a: string, b: string): boolean => BigInt(a) < BigInt(b);
  return (
    now.cluster !== before.cluster ||
    isLess(now.revision, before.revision) ||
    // Without this key a person has deleted it.
    (now.changed !== '0' && isLess(now.changed, before.changed))
  );
}

function wasRestored(): never {
  throw new LeadershipError('unreachable', 'the servers were restored during a request');
}

function refused(): boolean {
  return false;
}

function answerOf(
  { isIncomplete: _, ...found }: Found,
  outcomes: Exchanged['outcomes'],
): Exchanged {
  return { ...found, outcomes };
}
