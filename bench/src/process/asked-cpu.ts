import { setTimeout as pause } from 'node:timers/promises';

/** A process that says, when it is told `cpu`, what CPU time all its threads have used. Milliseconds. */
interface Accountant {
  next(kind: 'cpu'): Promise<{ readonly ms: number }>;
  tell(command: object): void;
}

/** The CPU time that another process takes in a window that begins now. Milliseconds per second. */
export async function cpuMsPerSecondOf(child: Accountant, windowMs: number): Promise<number> {
  const began = performance.now();
  const before = await ask(child);
  await pause(windowMs);
  const after = await ask(child);
  return (1000 * (after - before)) / (performance.now() - began);
}

async function ask(child: Accountant): Promise<number> {
  const answer = child.next('cpu');
  child.tell({ kind: 'cpu' });
  return (await answer).ms;
}
