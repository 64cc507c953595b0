import { setTimeout as pause } from 'node:timers/promises';

/**
 * A process that replies to the command `cpu` with the CPU time of all its threads, in
 * milliseconds.
 */
interface Accountant {
  next(kind: 'cpu'): Promise<{ readonly ms: number }>;
  send(command: object): void;
}

/**
 * Measures the CPU time of another process over a window that begins now, in milliseconds per
 * second.
 */
export async function cpuMsPerSecondOf(child: Accountant, windowMs: number): Promise<number> {
  const began = performance.now();
  const before = await ask(child);
  await pause(windowMs);
  const after = await ask(child);
  return (1000 * (after - before)) / (performance.now() - began);
}

async function ask(child: Accountant): Promise<number> {
  const answer = child.next('cpu');
  child.send({ kind: 'cpu' });
  return (await answer).ms;
}
