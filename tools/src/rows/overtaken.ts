// The story of a leader that is stopped inside a transaction until another member has led.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LeadershipSource, Term } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { runOnExit } from '@leadership/testkit/faults';

type EventKind = 'inside' | 'committed' | 'failed';

/** The end of the story. */
export interface Overtaken {
  /** The number of transactions that the stopped member had committed before. */
  readonly committed: number;
  /** The outcome of its transaction. */
  readonly outcome: EventKind;
}

interface WritingMember extends Disposable {
  readonly process: ChildProcess;
  readonly events: readonly EventKind[];
}

/** How long the member stays inside its transaction, where the test stops it. Milliseconds. */
const insideMs = 200;
const pauseMs = 20;

/**
 * Runs two processes of a program that calls {@link writeWhileLeading}. Stops the leader inside a
 * transaction until the other member has led, and resumes it.
 * @param options - what the program needs beside `member`, as its first argument
 */
export async function overtaken(program: URL, options: object): Promise<Overtaken> {
  using leader = start(program, { ...options, member: 'old' });
  await eventually('the first member commits', () => leader.events.includes('committed'));
  using successor = start(program, { ...options, member: 'new' });
  leader.process.kill('SIGUSR2');
  await eventually('it is inside a transaction', () => leader.events.includes('inside'));
  leader.process.kill('SIGSTOP');
  const stoppedAt = leader.events.length;
  const committed = leader.events.filter((kind) => kind === 'committed').length;
  await eventually('a successor commits', () => successor.events.includes('committed'));
  leader.process.kill('SIGCONT');
  const outcome = await eventually('the stopped member wakes', () => leader.events[stoppedAt]);
  return { committed, outcome };
}

function start(program: URL, options: object): WritingMember {
  const args = [fileURLToPath(program), JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  // A stopped process does not notice that the test has ended.
  const guard = runOnExit('kill -KILL "$0"', String(child.pid));
  const events: EventKind[] = [];
  createInterface({ input: child.stdout }).on('line', (kind) => events.push(kind as EventKind));
  return {
    process: child,
    events,
    [Symbol.dispose]() {
      child.kill('SIGKILL');
      guard[Symbol.dispose]();
    },
  };
}

/**
 * Attempts transaction after transaction while the source leads, and prints the outcome of each. On
 * SIGUSR2, `inside` prints and pauses once.
 * @param attempt - one transaction, which awaits `inside` before it commits
 */
export async function writeWhileLeading(
  source: LeadershipSource,
  attempt: (term: Term, count: number, inside: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const print = (kind: EventKind): void => void process.stdout.write(`${kind}\n`);
  let holds = false;
  process.on('SIGUSR2', () => {
    holds = true;
  });
  const inside = async (): Promise<void> => {
    if (!holds) return;
    holds = false;
    print('inside');
    await pause(insideMs);
  };
  await source.role('r').lead(async (term) => {
    for (let count = 1; !term.signal.aborted; count += 1) {
      const outcome = await attempt(term, count, inside).then(
        () => 'committed' as const,
        () => 'failed' as const,
      );
      print(outcome);
      await pause(pauseMs);
    }
  });
}
