import type { Host } from '../contract/backend.ts';
import type { LeadershipError } from '../contract/leadership-error.ts';

/** The current troubles or warnings, by topic. Each topic holds at most one until it is mended. */
export interface Raised {
  /**
   * Reports the error to the host, unless the topic already holds the same message. Replaces the
   * topic's previous error.
   */
  raise(about: string, error: LeadershipError): void;
  /** Ends the report about this topic. */
  mend(about: string): void;
  /** Ends all reports. */
  mendAll(): void;
}

/** Creates a reporter of troubles, or of warnings, to the host. */
export function raised<Level extends 'trouble' | 'warning'>(
  host: Pick<Host, Level>,
  level: Level,
): Raised {
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
