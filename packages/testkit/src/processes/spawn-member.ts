// Starts a member of a group as a process of its own, which a test can freeze and kill.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Command } from './command.ts';
import { formatEvent, parseEvent } from './event-json.ts';
import type { MemberEvent, ProcessMemberOptions, SpawnedMember } from './process-member.ts';
import { runOnExit } from './run-on-exit.ts';

/** As it is built, also when this file runs from its source: Node 20 runs no TypeScript. */
const here = import.meta.url;
const program = fileURLToPath(
  new URL(here.endsWith('.ts') ? '../../lib/member-program.js' : './member-program.js', here),
);

/**
 * The default timeout of `until`. It is that long because of starved machines, not because of the
 * protocol. Milliseconds.
 */
const timeoutMs = 60_000;

/**
 * How long a process may take to say its first word: several start at once, and a busy machine
 * loads their modules slowly. Milliseconds.
 */
const startingMs = 60_000;

/** How long a member may take to close beside what its drain may. Milliseconds. */
const closingMs = 20_000;

/** How long work may drain unless options say: what every source takes by default. Milliseconds. */
const usualDrainMs = 25_000;

/**
 * Starts a member in a process of its own. Resolves with its first word: it is `opened`, or
 * `refused`.
 * @param env - variables of its environment, beside those of this process
 */
export function spawnMember(
  options: ProcessMemberOptions,
  env: Readonly<Record<string, string>> = {},
): Promise<SpawnedMember> {
  const drainMs = options.options.drainTimeoutMs ?? usualDrainMs;
  return start([process.execPath, program, JSON.stringify(options)], env, drainMs);
}

/**
 * Starts a member that another program runs. It has to write {@link MemberEvent}s and to read
 * commands as members of {@link spawnMember} do, and to end when its standard input ends. Resolves
 * with its first event.
 */
export function spawnProgram(command: readonly [string, ...string[]]): Promise<SpawnedMember> {
  return start(command, {}, usualDrainMs);
}

async function start(
  [file, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  drainMs: number,
): Promise<SpawnedMember> {
  const child = spawn(file, args, { env: { ...process.env, ...env } });
  const log = memberLog(child.stdout);
  const gone = goneOf(child, log);
  const { member } = await log
    .until(() => true, startingMs)
    .catch(async (error: unknown) => {
      child.kill('SIGKILL');
      await gone;
      throw error;
    });
  return processMember({ child, log, gone, member, closeMs: drainMs + closingMs });
}

interface Parts {
  readonly child: ChildProcessWithoutNullStreams;
  readonly log: MemberLog;
  /** Resolves with the exit code once the process has ended and all its output was read. */
  readonly gone: Promise<number | null>;
  readonly member: string;
  readonly closeMs: number;
}

function processMember({ child, log, gone, member, closeMs }: Parts): SpawnedMember {
  let kept: Disposable | undefined;
  const send = (command: Command): void => void child.stdin.write(`${JSON.stringify(command)}\n`);
  const answer = async (kind: 'cpu' | 'stall' | 'busy'): Promise<number> => {
    const sentNs = process.hrtime.bigint();
    send({ kind });
    const isAnswer = (event: MemberEvent): boolean => event.kind === kind && event.atNs > sentNs;
    return Number((await log.until(isAnswer, timeoutMs)).detail);
  };
  const release = (): void => {
    kept?.[Symbol.dispose]();
    kept = undefined;
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
    release();
  };
  return {
    member,
    pid: child.pid ?? 0,
    events: log.events,
    until: (matches, withinMs = timeoutMs) => log.until(matches, withinMs),
    kill,
    pause() {
      kept ??= runOnExit('kill -KILL "$0"', String(child.pid ?? 0));
      child.kill('SIGSTOP');
    },
    resume() {
      child.kill('SIGCONT');
      release();
    },
    block: (ms) => send({ kind: 'block', ms }),
    resign: (partition) => send({ kind: 'resign', partition }),
    die: (by) => send({ kind: by }),
    cpuMs: () => answer('cpu'),
    stallMs: () => answer('stall'),
    busyMs: () => answer('busy'),
    async close() {
      send({ kind: 'close' });
      await endsByItself({ gone, log, kill, closeMs });
    },
    [Symbol.asyncDispose]: kill,
  };
}

async function endsByItself({
  gone,
  log,
  kill,
  closeMs,
}: Pick<Parts, 'gone' | 'log' | 'closeMs'> & Pick<SpawnedMember, 'kill'>): Promise<void> {
  const timer = setTimeout(() => void kill(), closeMs);
  const code = await gone;
  clearTimeout(timer);
  if (code === 0) return;
  const last = log.events.findLast(({ kind }) => kind === 'closed');
  throw new Error(
    code === null
      ? `it did not end by itself within ${closeMs} ms: ${last?.detail ?? 'its source did not close'}`
      : `it failed with exit code ${code}`,
  );
}

/** So much of what a failing member says on its standard error is shown. Characters. */
const stderrMax = 4_000;

function goneOf(child: ChildProcessWithoutNullStreams, log: MemberLog): Promise<number | null> {
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrMax);
  });
  // A process that has ended takes no commands.
  child.stdin.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      log.end(`the member has ended (${signal ?? `exit code ${code}`})${stderr && `: ${stderr}`}`);
      resolve(code);
    });
  });
}

/** The event log of a member process. */
interface MemberLog {
  readonly events: readonly MemberEvent[];
  /**
   * Resolves with the first event that `matches`. Rejects after `withinMs` or once the log has
   * ended.
   */
  until(matches: (event: MemberEvent) => boolean, withinMs: number): Promise<MemberEvent>;
  /** Ends the log with a reason. */
  end(why: string): void;
}

interface Waiting {
  received(event: MemberEvent): void;
  giveUp(why: string): void;
}

/** Reads the log that a member process writes to its standard output. */
function memberLog(output: Readable): MemberLog {
  const events: MemberEvent[] = [];
  const waiting = new Set<Waiting>();
  let ended: string | undefined;
  createInterface({ input: output }).on('line', (line) => {
    const event = parseEvent(line);
    events.push(event);
    for (const one of waiting) one.received(event);
  });
  return {
    events,
    until(matches, withinMs) {
      const found = events.find(matches);
      if (found) return Promise.resolve(found);
      if (ended !== undefined) return Promise.reject(new Error(complaint(ended, events)));
      return new Promise((resolve, reject) => {
        const over = (settle: () => void): void => {
          clearTimeout(timer);
          waiting.delete(one);
          settle();
        };
        const giveUp = (why: string): void => over(() => reject(new Error(complaint(why, events))));
        const one = {
          giveUp,
          received: (event: MemberEvent) => matches(event) && over(() => resolve(event)),
        };
        const timer = setTimeout(() => giveUp(`waited ${withinMs} ms without success`), withinMs);
        waiting.add(one);
      });
    },
    end(why) {
      ended = why;
      for (const one of waiting) one.giveUp(why);
    },
  };
}

/** The number of recent events in an error message. */
const shown = 40;

function complaint(why: string, events: readonly MemberEvent[]): string {
  return [
    `${why}; of ${events.length} events logged, the last were:`,
    ...events.slice(-shown).map(formatEvent),
  ].join('\n  ');
}
