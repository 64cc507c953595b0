// Pauses after requests that a server refuses for a reason that only a person can mend.
import { CoolDown } from '../async/cool-down.ts';
import type { LeadershipError } from '../contract/leadership-error.ts';
import type { ServerHost } from './notifications.ts';

/** Sends a request unless the server has just refused one of its kind. */
export type UnlessRefused = <T>(send: () => Promise<T>) => Promise<T>;

/**
 * Returns a function that sends requests of one kind. After one that was refused, such as for a wrong
 * password, requests fail with that error for up to T: each may cost a connection, TLS and a hashed
 * password. A member takes part again soon after a person has mended the cause, or a replica has
 * become the primary.
 */
export function unlessRefused(host: ServerHost, thresholdMs: number): UnlessRefused {
  const { clock, random } = host;
  const refused = new CoolDown(clock, { firstMs: thresholdMs / 4, lastMs: thresholdMs, random });
  return async (send) => {
    refused.check();
    try {
      const answer = await send();
      refused.succeeded();
      return answer;
    } catch (error) {
      const { code } = error as LeadershipError;
      if (code === 'unauthorized' || code === 'misconfigured-backend') refused.failed(error);
      throw error;
    }
  };
}
