// Measures how starved the machine is, so that no check fails for want of a core.
import { readFileSync } from 'node:fs';

/**
 * Measures the CPU pressure of the machine. The event loop of this process does not show stalls of
 * brokers and member processes.
 */
export interface PressureMeter extends Disposable {
  /**
   * The greatest share of a period with a process waiting for a CPU, 0 to 1. It is 0 if the kernel
   * does not report pressure.
   */
  readonly worstShare: number;
}

/**
 * The measurement period in milliseconds. The kernel updates its counter only every two seconds.
 */
const usualPeriodMs = 2_500;

/** Starts measuring. `waitedUs` returns the kernel's counter in microseconds. */
export function pressureMeter(
  periodMs: number = usualPeriodMs,
  waitedUs: () => number | undefined = waitedSoFar,
): PressureMeter {
  let before = { at: performance.now(), us: waitedUs() };
  let worstShare = 0;
  const look = (): void => {
    const now = { at: performance.now(), us: waitedUs() };
    if (now.at - before.at < periodMs / 2) return;
    if (now.us !== undefined && before.us !== undefined)
      worstShare = Math.max(
        worstShare,
        Math.min(1, (now.us - before.us) / 1000 / (now.at - before.at)),
      );
    before = now;
  };
  const timer = setInterval(look, periodMs);
  return {
    get worstShare() {
      look();
      return worstShare;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Returns the time for which some process waited for a CPU since boot, in microseconds. */
function waitedSoFar(): number | undefined {
  try {
    const total = /^some .*total=(\d+)$/m.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1];
    return total === undefined ? undefined : Number(total);
  } catch {
    return undefined;
  }
}
