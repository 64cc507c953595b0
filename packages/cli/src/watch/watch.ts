// The command `watch`: prints the leaders of a group, and their changes, until it is interrupted.
import process from 'node:process';
import { LeadershipError, type LeadershipEvent, type LeadershipSource } from '@leadership/core';
import { isUnknownGroup } from '@leadership/core/internal';
import { type LoopbackServer, serveOnLoopback } from '@leadership/core/internal/guard';
import { type Dashboard, dashboard } from '@leadership/dashboard';
import {
  concat,
  filter,
  firstValueFrom,
  from,
  interval,
  map,
  merge,
  NEVER,
  Observable,
  startWith,
  tap,
  timer,
} from 'rxjs';
import { exitCodeOf } from '../exit-codes.ts';
import { openReady, pinnedOptions } from '../open-ready.ts';
import type { ObserveOptions } from '../status/status.ts';
import { requestedPartitions } from '../status/status-report.ts';
import { jsonText } from '../terminal-text.ts';
import { eventText } from './event-text.ts';
import { LiveView, type TerminalSize } from './live-view.ts';

/** How often a terminal shows new ages. Milliseconds. */
const frameMs = 1000;

/** Used if a terminal does not report its size. */
const sizeUnknown = { columns: 80, rows: 24 };

/** How long after the leaders the line `ready` follows. Milliseconds. */
const readyAfterMs = 1000;

/** The signals that end the command. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The options of `watch`. */
export interface WatchOptions extends ObserveOptions {
  /** Serve a page; the port, or `true` for any free one. */
  readonly web?: number | boolean;
}

/**
 * Prints the changes of a group until a signal arrives or the reader of the output has ended.
 * Returns 128 and the number of the signal; SIGPIPE if the reader has ended.
 */
export async function watch(url: string, options: WatchOptions): Promise<number> {
  const { web = false } = options;
  using page = web === false ? undefined : new PageServer(web === true ? 0 : web);
  for (;;) {
    await using source = await openReady(url, { ...options, campaign: false });
    await page?.show(source);
    const shown$ = page === undefined ? printing(source, options) : NEVER;
    const ends$ = merge(endSignal$, shown$, pinned(source, url, options));
    const end = await firstValueFrom(ends$);
    if (end !== 'pinned') return exitCodeOf(end);
  }
}

/** Serves the page of a source, at one address, to processes of this host. */
class PageServer implements Disposable {
  readonly #port: number;
  #page: Dashboard | undefined;
  #server: LoopbackServer | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Serves the page of this source from now on. */
  async show(source: LeadershipSource): Promise<void> {
    this.#page?.[Symbol.dispose]();
    this.#page = dashboard(source);
    if (this.#server !== undefined) return;
    this.#server = await this.#serve();
    process.stdout.write(`${this.#server.url}\n`);
  }

  async #serve(): Promise<LoopbackServer> {
    try {
      return await serveOnLoopback((...exchange) => this.#page?.(...exchange), this.#port);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new LeadershipError(
        'invalid-options',
        `the page cannot be served at port ${this.#port} of this host (${why}): choose another one by --web PORT, or leave PORT out for a free one`,
        { cause },
      );
    }
  }

  [Symbol.dispose](): void {
    this.#page?.[Symbol.dispose]();
    this.#server?.close();
  }
}

/** Prints the changes of a group while it is subscribed. Emits nothing. */
function printing(source: LeadershipSource, options: WatchOptions): Observable<never> {
  const isLive = process.stdout.isTTY && !options.json;
  const text$ = isLive ? frames(source, options.role) : lines(source, options);
  return new Observable<never>(() => text$.subscribe((text) => process.stdout.write(text)));
}

/** Emits once a member has opened the group with values that the command would take over. */
function pinned(
  source: LeadershipSource,
  url: string,
  { option }: WatchOptions,
): Observable<'pinned'> {
  return source.events$.pipe(
    filter((event) => event.kind === 'trouble' && pinnedOptions(event, url, option).length > 0),
    map(() => 'pinned' as const),
  );
}

/** Emits the signal that ends the command. A closed output counts as SIGPIPE, as in other tools. */
const endSignal$ = new Observable<NodeJS.Signals>((subscriber) => {
  const end = (signal: NodeJS.Signals): void => subscriber.next(signal);
  for (const signal of endSignals) process.on(signal, end);
  const fail = (error: NodeJS.ErrnoException): void =>
    error.code === 'EPIPE' ? end('SIGPIPE') : subscriber.error(error);
  process.stdout.on('error', fail);
  return () => {
    for (const signal of endSignals) process.off(signal, end);
    process.stdout.off('error', fail);
  };
});

/**
 * Emits one line for each trouble and for each partition, then `ready`, and a line for each event.
 * `ready` comes later than the leaders: if the reader has ended after the first lines, as in
 * `watch | head -1`, this write fails. Node cannot detect otherwise that a pipe has no reader.
 */
function lines(source: LeadershipSource, { role, json }: ObserveOptions): Observable<string> {
  const partitions = new Set(requestedPartitions(source, role));
  const isRequested = ({ partition }: LeadershipEvent): boolean =>
    partition === undefined || partitions.has(partition);
  const ready$ = timer(readyAfterMs).pipe(
    map((): LeadershipEvent => ({ at: Date.now(), kind: 'ready', member: source.member })),
  );
  const present = [...presentTroubles(source), ...presentLeaders(source, partitions)];
  const present$ = concat(from(present.filter(isRequested)), ready$);
  return merge(present$, source.events$.pipe(filter(isRequested))).pipe(
    map((event) => `${json ? jsonText(event) : eventText(event)}\n`),
  );
}

/** Returns the present troubles as events, because `events$` replays nothing. */
function presentTroubles(source: LeadershipSource): readonly LeadershipEvent[] {
  return source.health().troubles.map(({ code, message, partition, since }) => ({
    at: since.getTime(),
    kind: 'trouble',
    member: source.member,
    code,
    message,
    ...(partition !== undefined && { partition }),
  }));
}

/**
 * Returns the present leaders as events; none if no member has ever opened the group, because then
 * its partitions are unknown.
 */
function presentLeaders(
  source: LeadershipSource,
  partitions: Iterable<number>,
): readonly LeadershipEvent[] {
  const roster = source.roster();
  if (isUnknownGroup(source.health())) return [];
  return Array.from(partitions, (partition) => {
    const known = roster.get(partition);
    return {
      at: Date.now(),
      kind: 'leader',
      member: source.member,
      partition,
      ...(known && { leader: known.member, token: known.token }),
    };
  });
}

/** Emits the text of a view whenever something has changed, and regularly. */
function frames(source: LeadershipSource, roles: readonly string[]): Observable<string> {
  const view = new LiveView(source, roles);
  const changes$ = source.events$.pipe(tap((event) => view.add(event)));
  return merge(changes$, interval(frameMs)).pipe(
    startWith(undefined),
    map(() => view.render(Date.now(), terminalSize())),
  );
}

function terminalSize(): TerminalSize {
  const { columns, rows } = process.stdout;
  return { columns: columns || sizeUnknown.columns, rows: rows || sizeUnknown.rows };
}
