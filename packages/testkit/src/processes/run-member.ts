// Runs the member in a member process: logs what it does, and works during its terms.
import { LeadershipError, type LeadershipSource } from '@leadership/core';
import { closeAtMoments } from './close-at-moments.ts';
import type { Command } from './command.ts';
import type { Journal } from './journal.ts';
import { openMember } from './open-member.ts';
import type { ProcessMemberOptions } from './process-member.ts';
import { execute } from './run-command.ts';
import { watchBeliefs } from './watch-beliefs.ts';
import { workOf } from './work.ts';

/** An open member. */
export interface OpenMember {
  execute(command: Command): void;
  /** Resolves once the member has closed. */
  readonly ended: Promise<void>;
}

/**
 * Opens the member, starts its work and logs its events. Returns `undefined` if the options are
 * invalid.
 */
export async function runMember(
  { work, ...options }: ProcessMemberOptions,
  write: Journal,
): Promise<OpenMember | undefined> {
  if (work.kind === 'close') return runCloses(options, write);
  const source = await open(options, write);
  if (source === undefined) return undefined;
  write({ kind: 'opened' });
  const watch = watchBeliefs(source, write, { polls: work.kind !== 'none' });
  logEvents(source, write);
  if (work.kind !== 'none') void source.leadEach(workOf(work, write));
  let close = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    close = resolve;
  });
  const end = async (): Promise<void> => {
    await asked;
    await source.close();
    watch[Symbol.dispose]();
    write({ kind: 'closed' });
  };
  return { execute: (command) => execute({ source, watch, write, close }, command), ended: end() };
}

/** Ends by itself, so that it takes no command. */
function runCloses(options: Omit<ProcessMemberOptions, 'work'>, write: Journal): OpenMember {
  write({ kind: 'opened' });
  const end = async (): Promise<void> => {
    await closeAtMoments(() => openMember(options), write);
    write({ kind: 'closed' });
  };
  return { execute: () => undefined, ended: end() };
}

async function open(
  options: Omit<ProcessMemberOptions, 'work'>,
  write: Journal,
): Promise<LeadershipSource | undefined> {
  try {
    return await openMember(options);
  } catch (error) {
    if (!(error instanceof LeadershipError)) throw error;
    write({ kind: 'refused', detail: detailOf(error) });
    return undefined;
  }
}

function logEvents(source: LeadershipSource, write: Journal): void {
  const refused = (error: LeadershipError): void => {
    if (error.code !== 'closed') write({ kind: 'refused', detail: detailOf(error) });
  };
  source.ready().then(() => write({ kind: 'ready' }), refused);
  source.events$.subscribe(({ kind, code }) => {
    if (kind === 'trouble' || kind === 'mended')
      write({ kind: 'health', detail: `${kind} ${code}` });
  });
}

function detailOf({ code, message }: LeadershipError): string {
  return `${code}: ${message}`;
}
