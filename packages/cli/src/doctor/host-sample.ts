// Measures for `leadership doctor` how busy this host is.
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** How busy this host was. */
export interface HostSample {
  /** The longest delay of this process's event loop. Milliseconds. */
  readonly stallMs: number;
  /** Processes that want to run, for each processor, on average over a minute. */
  readonly loadPerCpu: number;
  /** How often the limit of the container has stopped its processes meanwhile, if it is known. */
  readonly throttled: number | undefined;
}

/** The resolution of the event-loop monitor. Milliseconds. */
const resolutionMs = 5;

/** Observes this host for a while. This process is idle meanwhile, so its delays are the host's. */
export async function sampleHost(durationMs: number): Promise<HostSample> {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  const before = throttleCount();
  delays.enable();
  await pause(durationMs);
  delays.disable();
  const after = throttleCount();
  return {
    // The monitor reports the interval between its timers, in nanoseconds.
    stallMs: Math.max(0, delays.max / 1e6 - resolutionMs),
    loadPerCpu: (loadavg()[0] ?? 0) / availableParallelism(),
    throttled: before === undefined || after === undefined ? undefined : after - before,
  };
}

function throttleCount(): number | undefined {
  try {
    const text = readFileSync('/sys/fs/cgroup/cpu.stat', 'utf8');
    const count = /^nr_throttled (\d+)$/m.exec(text)?.[1];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined; // It exists on Linux with version 2 of control groups.
  }
}
