// Signals the whole process group of the command of `leadership run`.
import { readdirSync, readFileSync } from 'node:fs';

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
 * not count.
 */
export function groupIsGone(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    // EPERM: a process of the group runs as another user.
    return isCode(error, 'ESRCH');
  }
  return process.platform === 'linux' && hasOnlyZombies(group);
}

function hasOnlyZombies(group: number): boolean {
  const states = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat?.group === group)
    .map((stat) => stat?.state);
  // An empty list means that /proc hides the processes, so it proves nothing.
  return states.length > 0 && states.every((state) => state === 'Z' || state === 'X');
}

function statOf(pid: string): { readonly state: string; readonly group: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain spaces and parentheses.
    const [state = '', , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, group: Number(group) };
  } catch {
    return undefined; // It has ended meanwhile.
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
