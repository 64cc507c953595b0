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
  ownershipToken,
  pollRows,
  type RowChange,
  type Rows,
  raceSignal,
  sleep,
} from '@leadership/core/adapter';
import { HealthReporter, type InFlight, inFlight } from '@leadership/core/internal/engine';
import { disk, holdDisk } from '../disk/disk.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import { readText } from '../disk/read-text.ts';
import { type Scratch, scratchAt } from '../disk/scratch.ts';
import { syncDirectory } from '../disk/sync-directory.ts';
import { systemWatch, type Watch } from '../disk/watch.ts';
import { type Watched, watchesOf } from '../disk/watches.ts';
import { codeOf, fileError, unless } from '../errors.ts';
import { fileFloor } from '../floor.ts';
import { type Layout, layoutOf } from '../layout.ts';
import { containerWarner, type WarningOf } from '../mount/container.ts';
import { type MountGuard, mountGuard } from '../mount/mount-guard.ts';
import { pollMsOf } from '../options.ts';
import { checkPlace, prepare } from '../prepare.ts';
import { isDoubtNoted, isLeft, noteDoubt, touch } from './doubt.ts';
import { prune } from './prune.ts';
import { RowDirectory, type VersionFile, type View } from './row-directory.ts';
import {
  awaitedFile,
  contentOf,
  historyFile,
  isBrief,
  parseVersion,
  textIn,
  type Version,
  versionOf,
} from './version-name.ts';

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

/**
 * The changes of an exchange. Each that begins a term waits for the disk, four at a time in Node's
 * pool.
 */
const changesMax = 64;

/** An exchange that takes longer than this has an unknown outcome. In T. */
const exchangeShareMax = 1 / 3;

/** How long a version is kept that no new listing needs: longer than any exchange. In T_max. */
const keptShare = 1 / 2;

/** The row with the values that all members must have. */
const pinRow = 'pin';

/** How the names of the rows begin that packages keep. */
const keptPrefix = 'kept#';

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
  readonly #guard: MountGuard;
  readonly #warn: () => Promise<void>;
  readonly #held: Disposable;
  #watched: Watched | undefined;
  #mayCreate = false;
  #isClosed = false;
  #listedAt: Instant;
  /** How often another directory took the name of this one. */
  #moves = 0;
  /** Whether a text that must last was linked, whose name may be lost with the power. */
  #isUnsynced = false;
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
    this.#warn = containerWarner(host, layout.group, options.warningOf);
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
    const { thresholdMsMax } = this.#options;
    this.#listedAt = this.#host.clock.now();
    // A term whose answer did not arrive is shown once it is durable.
    if (this.#isUnsynced) await this.#sync();
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
    const pruning = { now: this.#listedAt, keptMs: keptShare * thresholdMsMax };
    if (this.#mayCreate && view.history !== undefined)
      this.#busy.track(prune(this.#directory.path, view, pruning)).catch(() => undefined);
    return { rows: view.rows, history, isDoubted };
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
    const mayWrite = this.#guard.check();
    const [first, ...others] = changes.map(
      (change) => () => this.#change(view, change, mayWrite, signal),
    );
    // The renewal comes first, and does not wait for the disk.
    const outcomes = [
      (await first?.()) ?? false,
      ...(await Promise.all(others.map((one) => one()))),
    ];
    const isNews = changes.some(
      ({ isAwaited, isAnnounced }, index) => (isAwaited || isAnnounced) && outcomes[index],
    );
    if (isNews) {
      // A lost notification only costs time.
      await touch(join(this.#directory.path, awaitedFile)).catch(() => undefined);
    }
    if (this.#isUnsynced) await this.#sync();
    // Another directory may have the name by now, and versions may have been removed.
    const isLate =
      this.#host.clock.now() - this.#listedAt > exchangeShareMax * this.#options.thresholdMs;
    if (isLate || (await this.#directory.history()) !== view.history) throw this.#unknown();
    return outcomes;
  }

  async #change(
    { rows, heads, strays }: View,
    { name, expected, text }: RowChange,
    mayWrite: Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (strays.has(name) || (rows.get(name) ?? null) !== expected) return false;
    const head = heads.get(name);
    // Its present content, because another reading may renew it.
    const stands = this.#standing(head);
    const isToLast = isLasting(name, text);
    const content = contentOf(text);
    const version = versionOf(name, (head?.number ?? 0) + 1);
    const putting = this.#scratch.put(content, isToLast);
    try {
      const [isStanding, aside] = await Promise.all([stands(), putting, mayWrite]);
      if (!isStanding) {
        this.#directory.forget(head?.file);
        return false;
      }
      if (this.#isClosed || signal.aborted) throw this.#unknown();
      this.#isUnsynced ||= isToLast;
      const linking = this.#linked(aside, version);
      const [isLinked, stillStands] = await Promise.all([linking, stands()]);
      if (!isLinked) return false;
      if (!stillStands) throw this.#unknown();
    } finally {
      const dropped = putting.then((aside) => this.#scratch.drop(aside));
      this.#busy.track(dropped).catch(() => undefined);
    }
    this.#directory.wrote(version, content);
    return true;
  }

  async #linked(aside: string, { file }: Version): Promise<boolean> {
    try {
      await disk.link(aside, join(this.#directory.path, file));
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Returns how to ask whether the version that is replaced still has the content that was read. */
  #standing(head: VersionFile | undefined): () => Promise<boolean> {
    if (head === undefined) return () => Promise.resolve(true);
    const { file, content } = head;
    return async () => (await readText(join(this.#directory.path, file))) === content;
  }

  async #sync(): Promise<void> {
    this.#isUnsynced = false;
    try {
      await syncDirectory(this.#directory.path);
    } catch (error) {
      this.#isUnsynced = true;
      throw error;
    }
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
    const { row } = version;
    if (!row.startsWith('session#') || row.includes(this.#host.incarnation)) return;
    this.#busy.track(this.#show(version, wake)).catch(() => undefined);
  }

  /** Shows a renewal before it is read: others count its T from now on. */
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

/**
 * Whether the text must survive a loss of power: it has the token of a term, is the pin, or was kept by
 * a package, such as a tick that was claimed. After a power loss no member on this host believes that it
 * leads, so a lost renewal or release only costs a wait.
 */
function isLasting(row: string, text: string | null): boolean {
  if (row === pinRow || row.startsWith(keptPrefix)) return true;
  return !isBrief(row) && text !== null && ownershipToken(text) !== undefined;
}

function blocking(reason: unknown): string {
  const why = reason instanceof Error ? reason.message : String(reason);
  return `the disk thread cannot be started (${why}), so a slow disk blocks the event loop. If a bundler combined this program into one file, exclude @leadership/file from the bundle`;
}
