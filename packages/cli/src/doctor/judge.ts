// Turns the measurements of `leadership doctor` into findings: whether they suit T, the length of a
// lease.
import type { Roster } from '@leadership/core';
import type { Finding } from './finding.ts';
import type { HostSample } from './host-sample.ts';

/** T should be that many times the longest stall: docs/how-to/choose-t-and-partitions.md. */
const stallsPerThreshold = 10;
/** A leader repeats a failed renewal after T/12, so a round trip should be shorter. */
const tripsPerThreshold = 12;
/** The smallest T that suits a small process on a quiet machine. Milliseconds. */
const thresholdMsMin = 1000;
/** Recommendations are multiples of it. Milliseconds. */
const stepMs = 500;
/** More processes than processors: timers and renewals are late. */
const loadPerCpuMax = 1;
/** How far the greatest token may be ahead of this clock. Milliseconds. */
const aheadMsMax = 1000;

/** Judges the processors and the event loop of this host. */
export function judgeHost({ stallMs, loadPerCpu, throttled }: HostSample): readonly Finding[] {
  const load = loadPerCpu.toFixed(2);
  return [
    {
      check: 'event loop',
      result: 'ok',
      message: `the longest delay was ${stallMs.toFixed(0)} ms, in a process that is idle`,
    },
    {
      check: 'cpu',
      result: loadPerCpu > loadPerCpuMax ? 'warn' : 'ok',
      message:
        loadPerCpu > loadPerCpuMax
          ? `load per processor is ${load}: processes wait for a processor, so renewals may be late`
          : `load per processor is ${load}`,
    },
    ...(throttled === undefined ? [] : [judgeThrottling(throttled)]),
  ];
}

function judgeThrottling(throttled: number): Finding {
  return throttled === 0
    ? { check: 'cpu limit', result: 'ok', message: 'the container was not throttled' }
    : {
        check: 'cpu limit',
        result: 'warn',
        message: `the container was throttled ${throttled} times: raise its limit, or T`,
      };
}

/** Compares the clock of this host with the greatest token: tokens grow with the leaders' clocks. */
export function judgeClock(roster: Roster, nowMs: number): Finding {
  const check = 'clock';
  const tokens = [...roster.values()].map(({ token }) => Number(token / 1000n));
  if (tokens.length === 0)
    return { check, result: 'ok', message: 'not compared: no leader is known' };
  const aheadMs = Math.max(...tokens) - nowMs;
  if (aheadMs <= aheadMsMax)
    return { check, result: 'ok', message: 'this clock is not behind the clocks of the leaders' };
  const seconds = (aheadMs / 1000).toFixed(1);
  return {
    check,
    result: 'warn',
    message: `the greatest token is ${seconds} s ahead of this clock: compare the clocks of the hosts. Exclusivity does not depend on it`,
  };
}

/** Recommends T for this host and backend, and compares it with the T of the URL. */
export function judgeThreshold(
  thresholdMs: number,
  stallMs: number,
  roundTripMs: number | undefined,
): Finding {
  const neededMs = Math.max(
    thresholdMsMin,
    stallMs * stallsPerThreshold,
    (roundTripMs ?? 0) * tripsPerThreshold,
  );
  const recommendedMs = Math.ceil(neededMs / stepMs) * stepMs;
  const isEnough = thresholdMs >= recommendedMs;
  return {
    check: 'T',
    result: isEnough ? 'ok' : 'warn',
    message: isEnough
      ? `thresholdMs ${thresholdMs} suffices; ${recommendedMs} would too, if your application never blocks its event loop`
      : `thresholdMs ${thresholdMs} is short for this host: use at least ${recommendedMs}`,
  };
}
