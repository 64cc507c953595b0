// The rows of a group in one hash of Redis, for leases by session: one script makes the changes and reads
// what has changed.
import { randomBytes } from 'node:crypto';
import { LeadershipError } from '@leadership/core';
import {
  type Exchanged,
  type Host,
  type Inspection,
  type NamedText,
  type NotificationListener,
  openingMsOf,
  Reconnecting,
  type Rows,
  type RowsTraits,
  type ServerExchange,
  type ServerRows,
  serverRows,
} from '@leadership/core/adapter';
import { isForbidden, isScriptMissing, keepsLink, redisError } from './errors.ts';
import { exchangeScript } from './exchange-script.ts';
import type { Command, Link, OpenLink } from './link.ts';
import type { RedisOptions } from './options.ts';
import { checkServer } from './server.ts';

/** The configuration of the rows. */
export interface RedisRowsOptions
  extends Required<
    Pick<RedisOptions, 'group' | 'prefix' | 'thresholdMs' | 'minReplicas' | 'notifications'>
  > {
  /** For how long a server that was promoted or restored may lack changes that somebody relies on (M6). */
  readonly doubtMs: number;
}

/** How long the server waits for replicas, so that its reply is in time: a request has T/4. In T. */
const waitShare = 1 / 5;

/** Where a reader is. */
interface Position {
  /** A text that another history of the rows does not have; empty before there is one. */
  readonly history: string;
  /** The number of changes, as a decimal. */
  readonly count: string;
}

/** What is weaker without the right to run `INFO`. */
const withoutInfo =
  'the user may not run INFO, so members do not notice that a restart or a fail-over has lost leases, nor settings that lose them: grant +info';

const start: Position = { history: '', count: '0' };

/** Returns the rows of a group, over connections that `open` opens. */
export function redisRows(open: OpenLink, options: RedisRowsOptions, host: Host): Rows {
  const server = new RedisRows(open, options, host);
  return serverRows(server, { ...options, host, toError: redisError });
}

class RedisRows implements ServerRows {
  readonly name: string;
  readonly traits: RowsTraits = { changesMax: 256 };
  readonly #key: string;
  readonly #options: RedisRowsOptions;
  /** The connection of every request, because two could reach two servers that take themselves for the primary. */
  readonly #line: Reconnecting<Link>;
  readonly #listening: Reconnecting<Link>;
  #isObserver = false;

  constructor(open: OpenLink, options: RedisRowsOptions, { clock }: Host) {
    // All of a name in braces decides about its slot in a Cluster.
    this.#key = `${options.prefix}{${options.group}}`;
    this.name = `key "${this.#key}"`;
    this.#options = options;
    const limits = { clock, limitMs: openingMsOf(options.thresholdMs) };
    this.#line = new Reconnecting(open, keepsLink, limits);
    this.#listening = new Reconnecting(open, keepsLink, limits);
  }

  /** Creates nothing: the first exchange of a member creates the keys. */
  open(signal: AbortSignal, mayCreate: boolean): Promise<Inspection> {
    this.#isObserver = !mayCreate;
    return this.inspect(signal);
  }

  inspect(signal: AbortSignal): Promise<Inspection> {
    const length: Command = ['HLEN', this.#key];
    return this.#line.use(signal, async (link) => {
      try {
        const [, info] = await link.send(this.#key, [length, ['INFO']]);
        return { weakness: checkServer(String(info)) };
      } catch (error) {
        if (this.#isObserver || !isForbidden(error)) throw error;
        await link.send(this.#key, [length]);
        return { weakness: withoutInfo };
      }
    });
  }

  async exchange(request: ServerExchange, signal: AbortSignal): Promise<Exchanged> {
    const { changes, isWhole = false, notification } = request;
    const { history, count } = (request.since as Position | undefined) ?? start;
    const isReading = this.#isObserver && changes.length === 0;
    const { minReplicas, thresholdMs, doubtMs } = this.#options;
    const waits = minReplicas > 0 && !isReading;
    const values = [
      ...[isReading ? 'r' : 'w', flag(isWhole), history, count, randomBytes(12).toString('base64')],
      ...[flag(waits), notification === undefined ? '' : this.#key, notification ?? ''],
      // The server counts whole seconds.
      String(Math.ceil(doubtMs / 1000) + 1),
      ...changes.flatMap(({ name, expected, text, isAwaited = false }) => [
        ...[name, optional(expected), optional(text), flag(isAwaited)],
      ]),
    ];
    const waitMs = String(Math.max(1, Math.floor(waitShare * thresholdMs)));
    const waiting: readonly Command[] = waits ? [['WAIT', String(minReplicas), waitMs]] : [];
    const [reply, replicas] = await this.#run(values, waiting, signal);
    if (waits && Number(replicas) < minReplicas)
      throw new LeadershipError(
        'unreachable',
        `${replicas} of ${minReplicas} replicas have acknowledged the write in time: connect replicas, or lower minReplicas`,
      );
    return answerOf(reply as readonly (string | number | null)[], request);
  }

  close(): void {
    this.#line.close();
    this.#listening.close();
  }

  listen({ listening, notified }: NotificationListener, signal: AbortSignal): Promise<void> {
    return this.#listening.use(signal, async (link) => {
      await Promise.race([link.subscribe(this.#key, notified), link.ended.then(reject)]);
      listening();
      await link.ended.then(reject);
    });
  }

  /** Runs the script, and what follows it on the same connection. Resolves with the replies. */
  #run(
    values: readonly string[],
    following: readonly Command[],
    signal: AbortSignal,
  ): Promise<readonly unknown[]> {
    const key = this.#key;
    const keys = [key, `${key}:changed`, `${key}:removed`];
    return this.#line.use(signal, async (link) => {
      const send = (name: string, script: string): Promise<readonly unknown[]> =>
        link.send(key, [[name, script, String(keys.length), ...keys, ...values], ...following]);
      return send('EVALSHA', exchangeScript.sha).catch((error: unknown) => {
        if (isScriptMissing(error)) return send('EVAL', exchangeScript.text);
        throw error;
      });
    });
  }
}

/** Reads the reply of the script, which leaves out the changes that this request has made. */
function answerOf(
  reply: readonly (string | number | null)[],
  { changes }: ServerExchange,
): Exchanged {
  const [history, count, whole, restarted, made, ...texts] = reply;
  const outcomes = changes.map((_, index) => String(made)[index] === '1');
  const own = changes
    .filter((_, index) => whole !== 1 && outcomes[index])
    .map(({ name, text }): NamedText => [name, text]);
  const read = Array.from({ length: texts.length / 2 }, (_, index): NamedText => {
    const text = texts[2 * index + 1];
    return [String(texts[2 * index]), text === null ? null : String(text)];
  });
  return {
    outcomes,
    rows: [...own, ...read],
    position: { history: String(history), count: String(count) } satisfies Position,
    isWhole: whole === 1,
    ...(restarted === 1 && { isRestarted: true }),
  };
}

function optional(text: string | null): string {
  return text === null ? '' : `=${text}`;
}

function flag(is: boolean): string {
  return is ? '1' : '0';
}

function reject(reason: unknown): never {
  throw reason;
}
