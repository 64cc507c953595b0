// The command `leadership doctor`: checks a backend and this host before an application uses them.
import process from 'node:process';
import type { LeadershipSource } from '@leadership/core';
import { isUnknownGroup } from '@leadership/core/internal';
import { found, succeeded, unknownGroup } from '../exit-codes.ts';
import { type ConnectOptions, openReady } from '../open-ready.ts';
import { thresholdMsOf } from '../open-source.ts';
import { jsonText } from '../terminal-text.ts';
import { type Finding, findingsText } from './finding.ts';
import { sampleHost } from './host-sample.ts';
import { judgeClock, judgeHost, judgeThreshold } from './judge.ts';
import { sampleRenewals } from './renewal-sample.ts';

/** The options of `doctor`. */
export interface DoctorOptions extends ConnectOptions {
  readonly json: boolean;
  /** Seconds to observe the host and the group. */
  readonly duration: number;
}

/**
 * Checks a backend and this host. Returns 0, 3 if no member has ever opened the group, or 1 if
 * another check failed.
 */
export async function doctor(url: string, options: DoctorOptions): Promise<number> {
  const { campaign, duration, json } = options;
  const startedAtMs = performance.now();
  await using source = await openReady(url, options);
  const readyMs = performance.now() - startedAtMs;
  const thresholdMs = thresholdMsOf(url, options.option);
  const [host, roundTripMs] = await Promise.all([
    sampleHost(duration * 1000),
    sampleRenewals(source, thresholdMs, duration * 1000),
  ]);
  const findings: readonly Finding[] = [
    {
      check: 'backend',
      result: 'ok',
      message: `it answered ${readyMs.toFixed(0)} ms after the start`,
    },
    judgeWriting(campaign, roundTripMs),
    ...judgeHealth(source),
    ...judgeLeaders(source),
    judgeClock(source.roster(), Date.now()),
    ...judgeHost(host),
    judgeThreshold(thresholdMs, host.stallMs, roundTripMs),
  ];
  process.stdout.write(`${json ? jsonText(findings) : findingsText(findings)}\n`);
  if (isUnknownGroup(source.health())) return unknownGroup;
  return findings.some(({ result }) => result === 'fail') ? found : succeeded;
}

function judgeWriting(campaign: boolean, roundTripMs: number | undefined): Finding {
  const check = 'writing';
  if (roundTripMs !== undefined) {
    const message = `this member led and renewed; the longest round trip was ${roundTripMs.toFixed(0)} ms`;
    return { check, result: 'ok', message };
  }
  return campaign
    ? {
        check,
        result: 'warn',
        message:
          'this member did not lead: others do, or --duration is shorter than the first start',
      }
    : {
        check,
        result: 'ok',
        message: 'not checked, because an observer only reads; see --campaign',
      };
}

function judgeHealth(source: LeadershipSource): readonly Finding[] {
  const { troubles, warnings } = source.health();
  return [
    ...troubles.map(({ code, message }): Finding => {
      const check = code === 'unknown-group' ? 'group' : 'health';
      return { check, result: 'fail', message };
    }),
    ...warnings.map(({ message }): Finding => ({ check: 'health', result: 'warn', message })),
  ];
}

function judgeLeaders(source: LeadershipSource): readonly Finding[] {
  // How many partitions there are to lead is unknown as well.
  if (isUnknownGroup(source.health())) return [];
  const { size } = source.roster();
  const result = size === source.partitions ? 'ok' : 'warn';
  const message = `${size} of ${source.partitions} partitions have a leader`;
  return [{ check: 'leaders', result, message }];
}
