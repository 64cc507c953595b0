import type { LeadershipError } from '@leadership/core';
import type { Host } from '@leadership/core/backend';

/** Troubles by what they are about: the latest of each, until it is mended. */
export interface Warnings {
  raise(about: string, error: LeadershipError): void;
  mend(about: string): void;
  mendAll(): void;
}

export function warnings(host: Pick<Host, 'trouble'>): Warnings {
  const raised = new Map<string, { readonly message: string; readonly trouble: Disposable }>();
  const mend = (about: string): void => {
    raised.get(about)?.trouble[Symbol.dispose]();
    raised.delete(about);
  };
  return {
    raise(about, error) {
      const { code, message } = error;
      if (raised.get(about)?.message === message) return;
      mend(about);
      raised.set(about, { message, trouble: host.trouble(code, message, error) });
    },
    mend,
    mendAll() {
      for (const about of [...raised.keys()]) mend(about);
    },
  };
}
