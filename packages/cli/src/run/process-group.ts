// Signals the whole process group of the command of `leadership run`.
import { readdirSync, readFileSync } from 'node:fs';

/** The number of threads, among the fields of `/proc/PID/stat` from the state on. */
const threadsField = 17;

/** Sends a signal to all processes of a group. Does nothing if there are none. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (!isCode(error, 'ESRCH')) throw error;
  }
}

/**
 * Returns whether no process of the group can act any more. A process that has ended stays in its
 * group until its parent has read its exit code, which may be never, so on Linux such processes do
 * not count. If only such ones are found, the group receives SIGKILL before they are counted again: a
 * process may have been started while they were counted, and none is after that signal.
 */
export function groupIsGone(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    // EPERM: a process of the group runs as another user.
    return isCode(error, 'ESRCH');
  }
  if (process.platform !== 'linux' || !hasOnlyZombies(group)) return false;
  signalGroup(group, 'SIGKILL');
  return hasOnlyZombies(group);
}

function hasOnlyZombies(group: number): boolean {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat?.group === group);
  // An empty list means that /proc hides the processes, so it proves nothing.
  return stats.length > 0 && stats.every((stat) => stat?.hasEnded === true);
}

function statOf(pid: string): { readonly hasEnded: boolean; readonly group: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, , group] = fields;
    // A process whose main thread has ended is shown as a zombie while its other threads go on.
    const hasOneThread = Number(fields[threadsField]) <= 1;
    const hasEnded = (state === 'Z' || state === 'X') && hasOneThread;
    return { hasEnded, group: Number(group) };
  } catch {
    return undefined; // It has ended meanwhile.
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
