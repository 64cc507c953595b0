import { readFileSync } from 'node:fs';

/** Measures how much of the time the kernel had a process wait for a CPU: brokers and member processes are starved unseen by this loop. */
export interface PressureMeter extends Disposable {
  /** The greatest share of a period, from 0 to 1. 0 where the kernel does not count (other systems than Linux, some containers). */
  readonly worstShare: number;
}

/** The kernel brings its count up to date every two seconds: shorter periods say nothing. Milliseconds. */
const usualPeriodMs = 2_500;

/** Measures from here on, period by period. `waitedUs` reads the kernel's count. */
export function pressureMeter(periodMs: number = usualPeriodMs, waitedUs: () => number | undefined = waitedSoFar): PressureMeter {
  let before = { at: performance.now(), us: waitedUs() };
  let worstShare = 0;
  const look = (): void => {
    const now = { at: performance.now(), us: waitedUs() };
    if (now.at - before.at < periodMs / 2) return;
    if (now.us !== undefined && before.us !== undefined)
      worstShare = Math.max(worstShare, Math.min(1, (now.us - before.us) / 1000 / (now.at - before.at)));
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

/** Microseconds since the machine started in which some process had to wait for a CPU. */
function waitedSoFar(): number | undefined {
  try {
    const total = /^some .*total=(\d+)$/m.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1];
    return total === undefined ? undefined : Number(total);
  } catch {
    return undefined;
  }
}
