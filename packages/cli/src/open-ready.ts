import type { LeadershipSource } from '@leadership/core';
import { openSource } from './open-source.ts';

/** How a command connects. */
export interface ConnectOptions {
  /** `name=value` pairs for the query of the URL. */
  readonly option: readonly string[];
  /** Seconds until an unreachable backend is an error. */
  readonly timeout: number;
  /** Whether this process takes part. */
  readonly campaign: boolean;
}

/**
 * Opens a source, and waits until it is ready.
 *
 * @throws LeadershipError the refusal of the backend; another error if it is not ready in time
 */
export async function openReady(
  url: string,
  { option, timeout: seconds, campaign }: ConnectOptions,
): Promise<LeadershipSource> {
  const source = await openSource(url, option, { campaign, log: false });
  try {
    await source.ready({ signal: AbortSignal.timeout(seconds * 1000) });
  } catch (error) {
    const { troubles } = source.health();
    await source.close();
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    if (!isLate) throw error;
    const why = troubles.map(({ message }) => `: ${message}`)[0] ?? '';
    throw new Error(`the source was not ready within ${seconds} s${why}`, { cause: error });
  }
  return source;
}
