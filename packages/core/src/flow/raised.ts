import type { Host } from '../contract/backend.ts';
import type { LeadershipError } from '../contract/leadership-error.ts';

/** What was raised, by what it is about: the latest of each, until it is mended. */
export interface Raised {
  /** Tells the host, unless the same is told already; whatever else was told about this is taken back. */
  raise(about: string, error: LeadershipError): void;
  /** Takes back what was raised about this. */
  mend(about: string): void;
  /** Takes back everything. */
  mendAll(): void;
}

/** Troubles, or warnings, that are told to the host. */
export function raised<Level extends 'trouble' | 'warning'>(host: Pick<Host, Level>, level: Level): Raised {
  const told = new Map<string, { readonly message: string; readonly trouble: Disposable }>();
  const mend = (about: string): void => {
    told.get(about)?.trouble[Symbol.dispose]();
    told.delete(about);
  };
  return {
    raise(about, error) {
      const { code, message } = error;
      if (told.get(about)?.message === message) return;
      mend(about);
      told.set(about, { message, trouble: host[level](code, message, error) });
    },
    mend,
    mendAll() {
      for (const about of [...told.keys()]) mend(about);
    },
  };
}
