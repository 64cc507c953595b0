import { setTimeout as pause } from 'node:timers/promises';

/** The CPU time that this process takes in a window that begins `warmMs` from now. Milliseconds per second. */
export async function cpuMsPerSecond(warmMs: number, windowMs: number): Promise<number> {
  await pause(warmMs);
  const before = process.cpuUsage();
  const began = performance.now();
  await pause(windowMs);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (performance.now() - began);
}
