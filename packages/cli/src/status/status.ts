// The command `leadership status`: prints the leaders of a group.
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import type { LeadershipSource, Roster } from '@leadership/core';
import { isUnsure } from '@leadership/core/internal';
import { filter, firstValueFrom, timeout } from 'rxjs';
import { found, succeeded, unknownGroup } from '../exit-codes.ts';
import { type ConnectOptions, openReady } from '../open-ready.ts';
import { say } from '../say.ts';
import { jsonText } from '../terminal-text.ts';
import { formatted } from './status-format.ts';
import { requestedPartitions, type StatusReport, statusReport } from './status-report.ts';
import { statusText } from './status-text.ts';

/** The options of every command that only observes. */
export interface ObserveOptions extends Omit<ConnectOptions, 'campaign'> {
  readonly role: readonly string[];
  readonly json: boolean;
}

/** The options of `status`. */
export interface StatusOptions extends ObserveOptions {
  /** Seconds to wait for leaders that are missing. */
  readonly wait: number;
  /** Print nothing. */
  readonly quiet: boolean;
  /** Print this template for each partition. */
  readonly format?: string;
}

/**
 * Prints the leaders of a group. Returns 0 if each partition has one, 3 if no member has ever
 * opened the group, otherwise 1.
 */
export async function status(url: string, options: StatusOptions): Promise<number> {
  await using source = await openReady(url, { ...options, campaign: false });
  const partitions = requestedPartitions(source, options.role);
  await known(source);
  await allLed(source, partitions, options.wait * 1000);
  const now = Date.now();
  const report = statusReport(source, options.role, now);
  if (!options.quiet) print(report, options, now);
  if (report.partitions === null) return unknownGroup;
  return report.leaders.every(({ leader }) => leader !== null) ? succeeded : found;
}

function print(report: StatusReport, { json, format }: StatusOptions, now: number): void {
  if (format === undefined) {
    process.stdout.write(`${json ? jsonText(report) : statusText(report, now)}\n`);
    return;
  }
  process.stdout.write(formatted(format, report));
  // No line stands for a group whose partitions are unknown.
  if (report.partitions === null) for (const { message } of report.health.troubles) say(message);
}

/** The pause between two looks at whether all is known. Milliseconds. */
const askMs = 20;

/**
 * Resolves when everything is known that the report says. The rows of a group look the same after all its
 * members have crashed. Rows that are older than T by the clocks are therefore watched, for T at most.
 */
async function known(source: LeadershipSource): Promise<void> {
  while (isUnsure(source)) await setTimeout(askMs);
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
