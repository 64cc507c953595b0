import type { Health, Trouble } from '../contract/health.ts';
import type { LeadershipErrorCode } from '../contract/leadership-error.ts';
import type { Clock } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';

/** What `health()` reports, as the backend and the work tell it. */
export interface Vitals {
  isReady: boolean;
  confirmed(): void;
  ignored(what: string): void;
  measured(what: string, value: number): void;
  /** Disposing says that it is mended. */
  trouble(code: LeadershipErrorCode, message: string): Disposable;
  /** The same for what is only a warning. */
  warning(code: LeadershipErrorCode, message: string): Disposable;
  health(): Health;
}

/** `mended` is told once for each trouble or warning that is. */
export function vitals(clock: Clock, mended: (trouble: Trouble) => void): Vitals {
  const troubles = new Set<Trouble>();
  const warnings = new Set<Trouble>();
  const raise = (among: Set<Trouble>, code: LeadershipErrorCode, message: string): Disposable => {
    const trouble = { code, since: new Date(), message };
    among.add(trouble);
    return { [Symbol.dispose]: () => void (among.delete(trouble) && mended(trouble)) };
  };
  const ignored = new Map<string, number>();
  const measured = new Map<string, number>();
  let confirmedAt: Instant | undefined;
  return {
    isReady: false,
    confirmed() {
      confirmedAt = clock.now();
    },
    ignored(what) {
      ignored.set(what, (ignored.get(what) ?? 0) + 1);
    },
    measured(what, value) {
      measured.set(what, value);
    },
    trouble: (code, message) => raise(troubles, code, message),
    warning: (code, message) => raise(warnings, code, message),
    health() {
      const confirmedMsAgo = confirmedAt === undefined ? undefined : clock.now() - confirmedAt;
      const ok = this.isReady && troubles.size === 0;
      const counts = { ignored: Object.fromEntries(ignored), measured: Object.fromEntries(measured) };
      return { ok, confirmedMsAgo, ...counts, troubles: [...troubles], warnings: [...warnings] };
    },
  };
}
