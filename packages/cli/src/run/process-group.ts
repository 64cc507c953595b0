// Signals the whole process group of the command of `leadership run`, and waits for its end.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from './messages.ts';

/** How often the end of a group is checked until SIGKILL was sent, and how rarely at most. Milliseconds. */
const pollMs = { min: 10, max: 1000 };
/** After SIGKILL the pauses grow with the time since then: they delay a hand-over by at most this part of it. */
const pollShare = 1 / 10;

/** The number of threads, among the fields of `/proc/PID/stat` from the state on. */
const threadsField = 17;

/**
 * Sends a signal to all processes of a group. Does nothing if there are none, or if all run as another user:
 * then only their end helps, and {@link lateText} says so.
 */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  refusalOf(-group, signal);
}

/**
 * Resolves once no process of the group can act any more. `killedAtMs` returns when SIGKILL was sent, and
 * infinity before. A process that waits in the kernel, such as for a disk that does not answer, ends only
 * after that wait, which may last for days; and a check reads all of `/proc`. So the checks become rare.
 */
export async function groupEnded(group: number, killedAtMs: () => number): Promise<void> {
  while (!groupIsGone(group)) {
    const ms = (monotonicMs() - killedAtMs()) * pollShare;
    await pause(Math.min(Math.max(ms, pollMs.min), pollMs.max));
  }
}

/** Returns why a group has not ended after SIGKILL, for the user. */
export function lateText(group: number): string {
  const late = process.platform === 'linux' ? statsOf(group).filter((one) => !one.hasEnded) : [];
  const names = late.map(({ pid, state }) => `${pid} (state ${state})`).join(', ');
  const remedy = late.some(({ pid }) => refusalOf(Number(pid), 0) === 'EPERM')
    ? 'it runs as another user: end it as that user, and run leadership as that user instead'
    : 'repair the disk or mount on which it waits, or restart this host';
  return `the command has not ended after SIGKILL${names && `: process ${names}`}; its lease is not released until it has; ${remedy}`;
}

/**
 * Returns whether no process of the group can act any more. A process that has ended stays in its
 * group until its parent has read its exit code, which may be never, so on Linux such processes do
 * not count. If only such ones are found, the group receives SIGKILL before they are counted again: a
 * process may have been started while they were counted, and none is after that signal.
 */
export function groupIsGone(group: number): boolean {
  const refusal = refusalOf(-group, 0);
  if (refusal !== undefined) return refusal === 'ESRCH';
  if (process.platform !== 'linux' || !hasOnlyZombies(group)) return false;
  signalGroup(group, 'SIGKILL');
  return hasOnlyZombies(group);
}

/**
 * Sends a signal to a process or, if `target` is negative, to a group; 0 sends none. Returns why it reaches no
 * process: there is none (ESRCH), or all run as another user (EPERM).
 */
function refusalOf(target: number, signal: NodeJS.Signals | 0): 'ESRCH' | 'EPERM' | undefined {
  try {
    process.kill(target, signal);
    return undefined;
  } catch (error) {
    if (isCode(error, 'ESRCH')) return 'ESRCH';
    if (isCode(error, 'EPERM')) return 'EPERM';
    throw error;
  }
}

function hasOnlyZombies(group: number): boolean {
  const stats = statsOf(group);
  // An empty list means that /proc hides the processes, so it proves nothing.
  return stats.length > 0 && stats.every(({ hasEnded }) => hasEnded);
}

interface Stat {
  readonly pid: string;
  readonly group: number;
  readonly state: string;
  readonly hasEnded: boolean;
}

function statsOf(group: number): readonly Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat !== undefined)
    .filter((stat) => stat.group === group);
}

function statOf(pid: string): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state = '', , group] = fields;
    // A process whose main thread has ended is shown as a zombie while its other threads go on.
    const hasOneThread = Number(fields[threadsField]) <= 1;
    const hasEnded = (state === 'Z' || state === 'X') && hasOneThread;
    return { pid, group: Number(group), state, hasEnded };
  } catch {
    return undefined; // It has ended meanwhile.
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
