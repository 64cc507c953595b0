// Watches directories for changes. Watching only makes reads faster. If the system refuses a watch
// (inotify limits, special file systems), members poll, and health() reports the cost.
import type { Host } from '@leadership/core/adapter';
import { codeOf, missing } from '../errors.ts';
import type { Notified, Watch } from './watch.ts';

/** A directory that is watched, or that should be. */
export interface Watched extends Disposable {
  /** Whether the system reports changes of the directory. */
  readonly isOpen: () => boolean;
  /** Watches again after a failure. */
  retry(): void;
  /** Call when another directory has taken the name. */
  renew(): void;
}

/** Watches a directory. Never throws. */
export type Watches = (directory: string, notified: Notified) => Watched;

/**
 * Creates the watches of one member. The first failure raises a warning, which ends when all
 * watches work again.
 */
export function watchesOf(watch: Watch, host: Host, pollMs: number): Watches {
  const failing = new Set<Watched>();
  let warning: Disposable | undefined;
  const note = (watched: Watched, error: unknown): void => {
    // A missing directory is not a failure to watch: it is watched again once it exists.
    if (error === undefined || missing.includes(codeOf(error) ?? '')) failing.delete(watched);
    else failing.add(watched);
    if (failing.size === 0) {
      warning?.[Symbol.dispose]();
      warning = undefined;
    } else warning ??= host.warning('misconfigured-backend', sentence(error, pollMs), error);
  };
  return (directory, notified) => watched(watch, directory, notified, note);
}

type Note = (watched: Watched, error: unknown) => void;

function watched(watch: Watch, directory: string, notified: Notified, note: Note): Watched {
  let open: Disposable | undefined;
  let disposed = false;
  const close = (): void => {
    open?.[Symbol.dispose]();
    open = undefined;
  };
  const self: Watched = {
    isOpen: () => open !== undefined,
    retry() {
      if (open === undefined) self.renew();
    },
    renew() {
      close();
      if (disposed) return;
      try {
        open = watch(directory, notified, broke);
        note(self, undefined);
      } catch (error) {
        note(self, error);
      }
    },
    [Symbol.dispose]() {
      disposed = true;
      close();
      note(self, undefined);
    },
  };
  const broke = (error: unknown): void => {
    open = undefined;
    note(self, error);
  };
  return self;
}

function sentence(error: unknown, pollMs: number): string {
  const why = error instanceof Error ? error.message : String(error);
  return `files cannot be watched (${why}); polling every ${Math.round(pollMs)} ms instead, so hand-overs take that long. On Linux raise fs.inotify.max_user_watches and fs.inotify.max_user_instances`;
}
