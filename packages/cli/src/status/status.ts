import process from 'node:process';
import type { LeadershipSource, Roster } from '@leadership/core';
import { filter, firstValueFrom, timeout } from 'rxjs';
import { found, succeeded } from '../exit-codes.ts';
import { openSource } from '../open-source.ts';
import { requestedPartitions, statusReport } from './status-report.ts';
import { statusText } from './status-text.ts';

/** The options of every command that only observes. */
export interface ObserveOptions {
  /** `name=value` pairs for the query of the URL. */
  readonly option: readonly string[];
  readonly role: readonly string[];
  readonly json: boolean;
  /** Seconds until an unreachable backend is an error. */
  readonly timeout: number;
}

/** The options of `status`. */
export interface StatusOptions extends ObserveOptions {
  /** Seconds to wait for leaders that are missing. */
  readonly wait: number;
}

/** Prints the leaders of a group. Returns 0 if each partition has one, otherwise 1. */
export async function status(url: string, options: StatusOptions): Promise<number> {
  await using source = await openObserver(url, options);
  const partitions = requestedPartitions(source, options.role);
  await allLed(source, partitions, options.wait * 1000);
  const now = Date.now();
  const report = statusReport(source, options.role, now);
  const text = options.json ? JSON.stringify(report) : statusText(report, now);
  process.stdout.write(`${text}\n`);
  return report.leaders.every(({ leader }) => leader !== null) ? succeeded : found;
}

/**
 * Opens a source that only observes, and waits until the backend has answered.
 *
 * @throws LeadershipError the refusal of the backend; `TimeoutError` if it does not answer
 */
export async function openObserver(
  url: string,
  { option, timeout: seconds }: Pick<ObserveOptions, 'option' | 'timeout'>,
): Promise<LeadershipSource> {
  const source = await openSource(url, option, { campaign: false, log: false });
  try {
    await source.ready({ signal: AbortSignal.timeout(seconds * 1000) });
  } catch (error) {
    const { troubles } = source.health();
    await source.close();
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    if (!isLate) throw error;
    const why = troubles.map(({ message }) => `: ${message}`)[0] ?? '';
    throw new Error(`the backend did not answer within ${seconds} s${why}`, { cause: error });
  }
  return source;
}

/** Resolves when each of these partitions has a leader, or after `waitMs`. */
async function allLed(
  source: LeadershipSource,
  partitions: readonly number[],
  waitMs: number,
): Promise<void> {
  const isLed = (roster: Roster): boolean => partitions.every((index) => roster.has(index));
  const led = source.roster$.pipe(filter(isLed), timeout(waitMs));
  await firstValueFrom(led, { defaultValue: undefined }).catch(() => undefined);
}
