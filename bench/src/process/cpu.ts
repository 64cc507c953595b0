import { setTimeout as pause } from 'node:timers/promises';

/**
 * Measures the CPU time of this process over a window that begins in `warmMs`, in milliseconds per
 * second.
 */
export async function cpuMsPerSecond(warmMs: number, windowMs: number): Promise<number> {
  await pause(warmMs);
  const before = process.cpuUsage();
  const began = performance.now();
  await pause(windowMs);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (performance.now() - began);
}
