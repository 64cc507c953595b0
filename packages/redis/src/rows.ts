// The rows of a group in one hash of Redis.
import { createHash } from 'node:crypto';
import { LeadershipError } from '@leadership/core';
import {
  type Host,
  type NotificationListener,
  openingMsOf,
  Reconnecting,
  type RowOutcome,
  type Rows,
  type RowsOpening,
  type ServerChange,
  type ServerRows,
  serverRows,
} from '@leadership/core/adapter';
import { isScriptMissing, keepsLink, redisError } from './errors.ts';
import type { Command, Link, OpenLink } from './link.ts';
import type { RedisOptions } from './options.ts';
import { checkServer } from './server.ts';

/** The configuration of the rows. */
export type RedisRowsOptions = Required<
  Pick<RedisOptions, 'group' | 'prefix' | 'thresholdMs' | 'minReplicas' | 'notifications'>
>;

/** How long the server waits for replicas, so that its reply is in time. In T. */
const waitShare = 1 / 4;

interface Script {
  readonly text: string;
  readonly sha: string;
}

/**
 * A value that is not UTF-8 is shown as a text that stands for its bytes. Otherwise clients would
 * change its bytes, and no member could replace it.
 */
const shown = `local sequences = {'[\\194-\\223]', '\\224[\\160-\\191]', '[\\225-\\236\\238\\239][\\128-\\191]',
  '\\237[\\128-\\159]', '\\240[\\144-\\191][\\128-\\191]', '[\\241-\\243][\\128-\\191][\\128-\\191]',
  '\\244[\\128-\\143][\\128-\\191]'}
local function shown(value)
  if not value or not string.find(value, '[\\128-\\255]') then return value end
  local rest = value
  for _, sequence in ipairs(sequences) do rest = string.gsub(rest, sequence .. '[\\128-\\191]', ' ') end
  if not string.find(rest, '[\\128-\\255]') then return value end
  return 'bytes:' .. string.gsub(value, '.', function(one) return string.format('%02x', string.byte(one)) end)
end
`;

const allRows = `local rows = redis.call('HGETALL', KEYS[1])
for index, value in ipairs(rows) do rows[index] = shown(value) end
return rows`;

/**
 * Reads all rows. A replica refuses every script that writes, also if nothing changes: its state
 * may be old, and would look like a store that went back.
 */
const listScript = script(`${shown}redis.call('HDEL', KEYS[1], '')
${allRows}`);

/** Reads all rows for an observer, which may lack every right to write. Slower than `HDEL`. */
const observeScript = script(`${shown}local info = redis.call('INFO', 'replication')
if not string.find(info, 'role:master', 1, true) then
return redis.error_reply('READONLY INFO says that this is no master') end
${allRows}`);

/**
 * Changes a row if it holds the expected text. A text that is there already is written again: the
 * request is then a repetition, and `WAIT` needs a write of its own connection. The notification
 * comes last: a script that fails half-way keeps what it has done, and members must not hear of a
 * change that was refused.
 */
const replaceScript = script(`${shown}local found = shown(redis.call('HGET', KEYS[1], ARGV[1]))
local isExpected = found == (ARGV[2] == '1' and ARGV[3])
if not isExpected and not (ARGV[4] == '1' and found == ARGV[5]) then return {0, found} end
if ARGV[4] == '1' then redis.call('HSET', KEYS[1], ARGV[1], ARGV[5])
else redis.call('HDEL', KEYS[1], ARGV[1]) end
if isExpected and ARGV[6] ~= '' then redis.call('PUBLISH', ARGV[6], ARGV[7]) end
return {isExpected and 1 or 0, found}`);

/** Returns the rows of a group, over connections that `open` opens. */
export function redisRows(open: OpenLink, options: RedisRowsOptions, host: Host): Rows {
  const server = new RedisRows(open, options, host);
  return serverRows(server, { ...options, host, toError: redisError });
}

class RedisRows implements ServerRows {
  readonly name: string;
  readonly #key: string;
  readonly #options: RedisRowsOptions;
  readonly #lines: Readonly<Record<'read' | 'write' | 'listen', Reconnecting<Link>>>;
  /** The texts that perhaps too few replicas have, by the name of the row. */
  readonly #unconfirmed = new Map<string, string>();
  #listScript = listScript;

  constructor(open: OpenLink, options: RedisRowsOptions, { clock }: Host) {
    // All of a name in braces decides about its slot in a Cluster.
    this.#key = `${options.prefix}{${options.group}}`;
    this.name = `key "${this.#key}"`;
    this.#options = options;
    // Apart, because `WAIT` blocks its connection, and a read that is given up ends its own.
    const limits = { clock, limitMs: openingMsOf(options.thresholdMs) };
    const line = (): Reconnecting<Link> => new Reconnecting(open, keepsLink, limits);
    this.#lines = { read: line(), write: line(), listen: line() };
  }

  /** Creates nothing: the first row creates the key. */
  open({ signal, mayCreate }: RowsOpening): Promise<string | undefined> {
    this.#listScript = mayCreate ? listScript : observeScript;
    return this.inspect(signal);
  }

  async inspect(signal: AbortSignal): Promise<string | undefined> {
    const look = (link: Link): Promise<readonly unknown[]> =>
      link.send(this.#key, [['HLEN', this.#key], ['INFO']]);
    const [, info] = await this.#lines.read.use(signal, look);
    return checkServer(String(info));
  }

  async list(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    // A leader must not find its own record before enough replicas have it.
    for (const [name, text] of this.#unconfirmed) {
      const again = { name, expected: text, text, isAwaited: false, notification: undefined };
      await this.replace(again, signal);
    }
    const texts = (await this.#run('read', this.#listScript, [], signal)) as readonly string[];
    const rows = new Map<string, string>();
    for (let at = 0; at + 1 < texts.length; at += 2)
      rows.set(String(texts[at]), String(texts[at + 1]));
    return rows;
  }

  async replace(change: ServerChange, signal: AbortSignal): Promise<RowOutcome> {
    const { name, expected, text, notification } = change;
    const { minReplicas } = this.#options;
    const optional = (one: string | null): readonly string[] => [
      one === null ? '0' : '1',
      one ?? '',
    ];
    const notified = notification === undefined ? ['', ''] : [this.#key, notification];
    const sent = [name, ...optional(expected), ...optional(text), ...notified];
    if (minReplicas > 0 && text !== null) this.#unconfirmed.set(name, text);
    const reply = await this.#run('write', replaceScript, sent, signal);
    if (this.#unconfirmed.get(name) === text) this.#unconfirmed.delete(name);
    const [done, found] = reply as readonly [number, string | null];
    return done === 1 ? { isDone: true } : { isDone: false, found };
  }

  close(): void {
    for (const line of Object.values(this.#lines)) line.close();
  }

  listen({ listening, notified }: NotificationListener, signal: AbortSignal): Promise<void> {
    return this.#lines.listen.use(signal, async (link) => {
      await Promise.race([link.subscribe(this.#key, notified), link.ended.then(reject)]);
      listening();
      await link.ended.then(reject);
    });
  }

  /** Runs a script, and resolves with its reply. A write also waits for replicas. */
  async #run(
    way: 'read' | 'write',
    { sha, text }: Script,
    values: readonly string[],
    signal: AbortSignal,
  ): Promise<unknown> {
    const { minReplicas, thresholdMs } = this.#options;
    const waits = way === 'write' && minReplicas > 0;
    const waiting: readonly Command[] = waits
      ? [['WAIT', String(minReplicas), String(Math.max(1, Math.floor(waitShare * thresholdMs)))]]
      : [];
    const [reply, replicas] = await this.#lines[way].use(signal, async (link) => {
      const send = (name: string, scriptOf: string): Promise<readonly unknown[]> =>
        link.send(this.#key, [[name, scriptOf, '1', this.#key, ...values], ...waiting]);
      return send('EVALSHA', sha).catch((error: unknown) => {
        if (isScriptMissing(error)) return send('EVAL', text);
        throw error;
      });
    });
    if (waits && Number(replicas) < minReplicas)
      throw new LeadershipError(
        'unreachable',
        `${replicas} of ${minReplicas} replicas have acknowledged the write in time: connect replicas, or lower minReplicas`,
      );
    return reply;
  }
}

function reject(reason: unknown): never {
  throw reason;
}

function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}
