// The rows of a group in a directory of this host: a change is a link to a new version of its row,
// and a reading lists the directory.
import { join } from 'node:path';
import { LeadershipError } from '@leadership/core';
import {
  type Host,
  type Instant,
  type Listing,
  type ListingStore,
  type NamedText,
  pollRows,
  type RowChange,
  type Rows,
  raceSignal,
  sleep,
} from '@leadership/core/adapter';
import { HealthReporter, type InFlight, inFlight, longAgo } from '@leadership/core/internal/engine';
import { disk, holdDisk } from '../disk/disk.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import { readText } from '../disk/read-text.ts';
import { type Scratch, scratchAt } from '../disk/scratch.ts';
import { systemWatch, type Watch } from '../disk/watch.ts';
import { type Watched, watchesOf } from '../disk/watches.ts';
import { fileError, unless } from '../errors.ts';
import { fileFloor } from '../floor.ts';
import { type Layout, layoutOf } from '../layout.ts';
import { containerWarner, type WarningOf } from '../mount/container.ts';
import { type MountGuard, mountGuard } from '../mount/mount-guard.ts';
import { pollMsOf } from '../options.ts';
import { checkPlace, prepare } from '../prepare.ts';
import { isDoubtNoted, isLeft, noteDoubt, touch } from './doubt.ts';
import { type Pruned, prune } from './prune.ts';
import { RowDirectory, type View } from './row-directory.ts';
import { awaitedFile, historyFile, parseVersion, textIn, type Version } from './version-name.ts';
import { pinRow, VersionWriter } from './version-writer.ts';

/** Where the group keeps its rows, and how long its members wait for each other. */
export interface FileRowsOptions {
  readonly directory: string;
  readonly group: string;
  readonly thresholdMs: number;
  readonly thresholdMsMax: number;
  /** Replaces the watch of the system. For tests. */
  readonly watch?: Watch;
  /** Opens the directory of temporary files. For tests. */
  readonly scratchOf?: typeof scratchAt;
  /** Returns a warning about the location of the directory. For tests. */
  readonly warningOf?: WarningOf;
}

/** The changes of an exchange. Those that begin terms wait for the disk together. */
const changesMax = 128;

/** An exchange that takes longer than this has an unknown outcome. In T. */
const exchangeShareMax = 1 / 3;

/** An exchange that has taken less than this lists again after a claim. In T. */
const againShare = 1 / 20;

/** How long nothing but sessions has changed before old versions are removed. In T. */
const idleShare = 1 / 4;

/** How long a version is kept that no new listing needs: longer than any exchange. In T_max. */
const keptShare = 1 / 2;

/** Creates the rows of a group in a directory, as one member reads and changes them. */
export function fileRows(options: FileRowsOptions, host: Host): Rows {
  return pollRows(new FileRows(options, host));
}

class FileRows implements ListingStore {
  readonly name: string;
  readonly changesMax: number = changesMax;
  readonly floor;
  readonly #options: FileRowsOptions;
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #scratch: Scratch;
  readonly #busy: InFlight = inFlight();
  readonly #directory: RowDirectory;
  readonly #writer: VersionWriter;
  readonly #guard: MountGuard;
  readonly #warn: () => Promise<void>;
  readonly #warnings: HealthReporter;
  readonly #held: Disposable;
  #watched: Watched | undefined;
  #mayCreate = false;
  #isClosed = false;
  #listedAt: Instant;
  /** How often another directory took the name of this one. */
  #moves = 0;
  /** When this member last changed more than its session. */
  #changedAt: Instant = longAgo;
  #prunedAt: Instant = longAgo;
  #isPruning = false;
  #isFirst = true;
  /** The history that was read last. */
  #history: string | undefined;
  /** Whether this member doubts the store and has not noted it there yet. */
  #isDoubtUnnoted = false;

  constructor(options: FileRowsOptions, host: Host) {
    const layout = layoutOf(options.directory, options.group);
    this.name = `directory ${layout.group}`;
    this.#options = options;
    this.#host = host;
    this.#layout = layout;
    this.#scratch = (options.scratchOf ?? scratchAt)(layout.scratch);
    const keptMs = keptShare * options.thresholdMsMax;
    this.#directory = new RowDirectory(layout.rows, keptMs, host.clock, host.ignored);
    this.#writer = new VersionWriter({
      directory: this.#directory,
      scratch: this.#scratch,
      busy: this.#busy,
      unknown: () => this.#unknown(),
      checkOpen: () => {
        if (this.#isClosed) throw this.#unknown();
      },
    });
    this.#warn = containerWarner(host, layout.group, options.warningOf);
    this.#warnings = new HealthReporter(host, 'warning');
    this.#listedAt = host.clock.now();
    this.floor = fileFloor({ layout, busy: this.#busy, host });
    this.#held = holdDisk(
      (reason) => void host.warning('misconfigured-backend', blocking(reason), reason),
    );
    this.#guard = mountGuard({
      health: new HealthReporter(host),
      directory: layout.group,
      moved: () => {
        this.#moves += 1;
        this.#directory.reset();
      },
    });
  }

  open(signal: AbortSignal, mayCreate: boolean): Promise<void> {
    return this.#call(signal, async () => {
      this.#mayCreate = mayCreate;
      if (mayCreate) await prepare(this.#layout, this.#scratch);
      else await checkPlace(this.#layout.group);
      await this.#guard.begin();
      void this.#busy.track(this.#warn());
    });
  }

  list(signal: AbortSignal): Promise<Listing> {
    return this.#call(signal, () => this.#list());
  }

  replace(changes: readonly RowChange[], signal: AbortSignal): Promise<readonly boolean[]> {
    return this.#call(signal, () => this.#replace(changes, signal));
  }

  async listAgain(signal: AbortSignal): Promise<Listing | undefined> {
    const tookMs = this.#host.clock.now() - this.#listedAt;
    return tookMs < againShare * this.#options.thresholdMs ? this.list(signal) : undefined;
  }

  async listen(wake: (rows?: readonly NamedText[]) => void, signal: AbortSignal): Promise<void> {
    if (this.#isClosed || signal.aborted) return;
    const { watch = systemWatch, thresholdMs } = this.#options;
    const pollMs = pollMsOf(thresholdMs);
    const watched = watchesOf(
      watch,
      this.#host,
      pollMs,
    )(this.#layout.rows, (name, event) => this.#notified(name, event, wake));
    this.#watched = watched;
    watched.retry();
    signal.addEventListener('abort', () => watched[Symbol.dispose](), { once: true });
    void this.#poll(watched, pollMs, wake, signal);
  }

  /** Wakes the member from time to time while nothing else would. */
  async #poll(
    watched: Watched,
    pollMs: number,
    wake: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted && !this.#isClosed) {
      await sleep(this.#host.clock, pollMs, signal);
      if (!watched.isOpen() && !signal.aborted && !this.#isClosed) wake();
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#watched?.[Symbol.dispose]();
    await this.#busy
      .settled(this.#host.clock, this.#options.thresholdMs)
      .finally(() => this.#held[Symbol.dispose]());
  }

  /** Settles with the signal, although calls of the disk cannot be given up. */
  async #call<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new LeadershipError('closed', `${this.name}: it was closed`);
    signal.throwIfAborted();
    try {
      return await raceSignal(this.#busy.track(call()), signal);
    } catch (error) {
      throw signal.aborted ? error : fileError(error, this.#layout.group);
    }
  }

  async #list(): Promise<Listing> {
    const before = this.#directory.view.history;
    this.#listedAt = this.#host.clock.now();
    // A term whose answer did not arrive is shown once it is durable.
    await this.#writer.sync();
    let view = await this.#directory.read();
    if (view.history === undefined && this.#mayCreate) {
      await this.#make();
      view = await this.#directory.read();
    }
    if (view.history === before) this.#watched?.retry();
    else if (view.history !== undefined) this.#watched?.renew();
    if (this.#isFirst) this.#checkPin(view);
    const history = view.history && `${view.history}/${this.#moves}`;
    const isDoubted = await this.#isDoubted(view, history);
    if (this.#mayCreate && view.history !== undefined) this.#prune(view);
    return { rows: view.rows, history, isDoubted };
  }

  /** Removes what no listing needs, in the background: not while partitions change their owners. */
  #prune(view: View): void {
    const { thresholdMs, thresholdMsMax } = this.#options;
    const now = this.#listedAt;
    const isIdle = (): boolean =>
      this.#host.clock.now() - this.#changedAt > idleShare * thresholdMs ||
      now - this.#prunedAt > thresholdMsMax;
    if (this.#isPruning || !isIdle()) return;
    this.#isPruning = true;
    const pruning = { now, keptMs: keptShare * thresholdMsMax, isIdle };
    const pruned = prune(this.#directory.path, view, pruning).finally(() => {
      this.#isPruning = false;
      this.#prunedAt = this.#host.clock.now();
    });
    this.#busy.track(pruned).then(
      (end) => this.#warnOfGrowth(end),
      () => undefined,
    );
  }

  /** Warns of files that stay for ever, until all that are old could be removed. */
  #warnOfGrowth({ refusal, isPartial }: Pruned): void {
    if (refusal !== undefined) {
      const sentence = `${this.name}: old files of another user may not be removed, and it grows: run all members as one user, or take its sticky bit away (chmod -R -t)`;
      const cause = { cause: refusal };
      this.#warnings.raise('growth', new LeadershipError('unauthorized', sentence, cause));
    } else if (!isPartial) this.#warnings.mend('growth');
  }

  /**
   * Refuses a group whose pin a person has damaged: without it nothing is known, and another pin could
   * have other values (R3). A member that has read it goes on.
   */
  #checkPin({ heads }: View): void {
    const pin = heads.get(pinRow);
    if (pin?.content === undefined || textIn(pin.content) !== undefined) return;
    const advice =
      'the pin of this group is unreadable: stop all members, remove the directory, and start the members again';
    const path = join(this.#directory.path, pin.file);
    throw new LeadershipError('misconfigured-backend', `${path}: ${advice}`);
  }

  /**
   * Returns whether the first reading may lack the newest changes. A member that doubts the store notes
   * it there: its own changes make the store look as if it was in use, to members that start later.
   */
  async #isDoubted(view: View, history: string | undefined): Promise<boolean> {
    const { path } = this.#directory;
    const { thresholdMsMax } = this.#options;
    const isFirst = this.#isFirst;
    const left = isFirst && (await isLeft(path, view, thresholdMsMax));
    const isDoubted = left || (isFirst && (await isDoubtNoted(path, thresholdMsMax)));
    const isOther = this.#history !== undefined && history !== this.#history;
    this.#isDoubtUnnoted ||= left || isOther;
    if (this.#isDoubtUnnoted && this.#mayCreate && history !== undefined) {
      await noteDoubt(path);
      this.#isDoubtUnnoted = false;
    }
    this.#isFirst = false;
    this.#history = history;
    return isDoubted;
  }

  /** Creates the directory. Of several members that do so at once, one creates the history. */
  async #make(): Promise<void> {
    await makeDirectory(this.#directory.path);
    for (const name of [awaitedFile, historyFile])
      await unless(
        ['EEXIST'],
        disk.write(join(this.#directory.path, name), '', { flag: 'wx', durable: false }),
      );
  }

  async #replace(changes: readonly RowChange[], signal: AbortSignal): Promise<readonly boolean[]> {
    const { view } = this.#directory;
    if (changes.length > 1) this.#changedAt = this.#host.clock.now();
    const outcomes = await this.#writer.write(changes, this.#guard.check(), signal);
    const isNews = changes.some((change, index) => outcomes[index] && isToWake(change));
    if (isNews) {
      // A lost notification only costs time.
      await touch(join(this.#directory.path, awaitedFile)).catch(() => undefined);
    }
    await this.#writer.sync();
    // Another directory may have the name by now, and versions may have been removed.
    const isLate =
      this.#host.clock.now() - this.#listedAt > exchangeShareMax * this.#options.thresholdMs;
    if (isLate || (await this.#directory.history()) !== view.history) throw this.#unknown();
    return outcomes;
  }

  #notified(
    name: string | null,
    event: 'rename' | 'change',
    wake: (rows?: readonly NamedText[]) => void,
  ): void {
    const version = name === null ? undefined : parseVersion(name);
    if (version === undefined) return name === awaitedFile || name === null ? wake() : undefined;
    // Also a file that was created may have replaced one of the same name.
    this.#directory.forget(version.file);
    if (event === 'change') return wake();
    if (this.#isToShow(version)) this.#busy.track(this.#show(version, wake)).catch(() => undefined);
  }

  /** Whether others have made this version. The removal of an old one is reported as a creation is. */
  #isToShow({ row, number, file }: Version): boolean {
    const { files, heads } = this.#directory.view;
    const isOfLease = row.startsWith('session#') || row.startsWith('partition#');
    if (!isOfLease || row.includes(this.#host.incarnation)) return false;
    return !files.has(file) && number > (heads.get(row)?.number ?? 0);
  }

  /**
   * Shows a row before it is read: others count the T of a renewal from now on, and claim what was
   * released.
   */
  async #show({ file, row }: Version, wake: (rows?: readonly NamedText[]) => void): Promise<void> {
    const content = await readText(join(this.#directory.path, file));
    const text = content && textIn(content);
    if (text && !this.#isClosed) wake([[row, text]]);
  }

  #unknown(): LeadershipError {
    const advice = 'a change took too long, or the directory was replaced; check the disk';
    return new LeadershipError('unreachable', `${this.#layout.group}: ${advice}`);
  }
}

/** Whether others read at once. The watch shows them the rows of partitions, which is enough for a claim. */
function isToWake({ name, isAwaited, isAnnounced }: RowChange): boolean {
  return isAwaited === true || (isAnnounced === true && !name.startsWith('partition#'));
}

function blocking(reason: unknown): string {
  const why = reason instanceof Error ? reason.message : String(reason);
  return `the disk thread cannot be started (${why}), so a slow disk blocks the event loop. If a bundler combined this program into one file, exclude @leadership/file from the bundle`;
}
