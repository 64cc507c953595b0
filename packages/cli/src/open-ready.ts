// Opens a source for the commands that only read or resign.
import type { LeadershipSource } from '@leadership/core';
import { pinnedIn } from '@leadership/core/internal';
import { numericOption, openSource } from './open-source.ts';

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
 * Opens a source, and waits until it is ready. An observer takes over the values that the group has
 * pinned, if neither the command line nor the environment sets them.
 *
 * @throws LeadershipError the refusal of the backend; another error if it is not ready in time
 */
export async function openReady(url: string, options: ConnectOptions): Promise<LeadershipSource> {
  try {
    return await opened(url, options.option, options);
  } catch (error) {
    const pinned = options.campaign ? [] : pinnedOptions(error as Error, url, options.option);
    if (pinned.length === 0) throw error;
    return await opened(url, [...options.option, ...pinned], options);
  }
}

async function opened(
  url: string,
  pairs: readonly string[],
  { timeout: seconds, campaign }: ConnectOptions,
): Promise<LeadershipSource> {
  const source = await openSource(url, pairs, { campaign, log: false });
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

/**
 * Returns the pinned values of the group that has refused this command, unless they are set: as
 * `name=value` pairs, and none if `refusal` has another cause.
 */
export function pinnedOptions(
  refusal: { readonly cause?: unknown },
  url: string,
  pairs: readonly string[],
): readonly string[] {
  const pinned = pinnedIn(refusal);
  if (pinned === undefined) return [];
  const { partitions, thresholdMsMax } = pinned;
  const isUnset = (name: Parameters<typeof numericOption>[2]): boolean =>
    numericOption(url, pairs, name) === undefined;
  const adopted = isUnset('partitions') ? [`partitions=${partitions}`] : [];
  // T cannot exceed its cap. The group itself refuses a T that does.
  if ((numericOption(url, pairs, 'thresholdMs') ?? 0) > thresholdMsMax) return adopted;
  const times = (['thresholdMs', 'thresholdMsMax'] as const).filter(isUnset);
  return [...adopted, ...times.map((name) => `${name}=${thresholdMsMax}`)];
}
