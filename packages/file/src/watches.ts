// Watching is the fast path, and only that: where the system does not let us (inotify limits, odd file systems), polling
// goes on, and health() says what that costs.
import type { Host } from '@leadership/core/backend';
import { codeOf, missing } from './errors.ts';
import type { Heard, Watch } from './watch.ts';

/** A directory under watch, or one that should be. */
export interface Watched extends Disposable {
  /** Whether the system tells what happens there. */
  readonly isOpen: () => boolean;
  /** Watches again where that had failed. */
  retry(): void;
  /** The directory is another now, of the same name. */
  renew(): void;
}

/** Watches directories; never throws. */
export type Watches = (directory: string, heard: Heard) => Watched;

/** All watches of one member: the first that fails raises a warning, the last that is mended takes it back. */
export function watchesOf(watch: Watch, host: Host, pollMs: number): Watches {
  const failing = new Set<Watched>();
  let warning: Disposable | undefined;
  const note = (watched: Watched, error: unknown): void => {
    // A directory that is gone is no failure to watch: it is watched again once it is back.
    if (error === undefined || missing.includes(codeOf(error) ?? '')) failing.delete(watched);
    else failing.add(watched);
    if (failing.size === 0) {
      warning?.[Symbol.dispose]();
      warning = undefined;
    } else warning ??= host.warning('misconfigured-backend', sentence(error, pollMs), error);
  };
  return (directory, heard) => watched(watch, directory, heard, note);
}

type Note = (watched: Watched, error: unknown) => void;

function watched(watch: Watch, directory: string, heard: Heard, note: Note): Watched {
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
        open = watch(directory, heard, broke);
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
  return `files cannot be watched (${why}); reading every ${Math.round(pollMs)} ms instead, so hand-overs take that long. On Linux raise fs.inotify.max_user_watches and fs.inotify.max_user_instances`;
}
