import { setTimeout as pause } from 'node:timers/promises';

/**
 * Measures the processor time of a process over a window that begins now, in milliseconds per second.
 * @param cpuMs - resolves with the time that the process has used so far
 */
export async function cpuMsPerSecond(
  cpuMs: () => Promise<number>,
  windowMs: number,
): Promise<number> {
  const began = performance.now();
  const before = await cpuMs();
  await pause(windowMs);
  const after = await cpuMs();
  return (1000 * (after - before)) / (performance.now() - began);
}

/** Resolves with the processor time that this process has used so far. Milliseconds. */
export async function ownCpuMs(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
