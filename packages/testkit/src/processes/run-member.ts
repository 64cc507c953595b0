// Runs the member in a member process: logs what it does, and works during its terms.

import { setTimeout as pause } from 'node:timers/promises';
import {
  LeadershipError,
  type LeadershipSource,
  openLeadership,
  type Term,
  type Work,
} from '@leadership/core';
import { aborted, type BackendModule } from '@leadership/core/adapter';
import { parseAddress } from '@leadership/core/internal';
import { closeAtMoments } from './close-at-moments.ts';
import type { Command } from './command.ts';
import type { Journal } from './journal.ts';
import { keepWriting } from './keep-writing.ts';
import type { MemberWork, ProcessMemberOptions } from './process-member.ts';
import { execute } from './run-command.ts';
import { watchBeliefs } from './watch-beliefs.ts';

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

/**
 * Opens the source of a member: with the backend of `module`, or with `openLeadership` without one.
 */
async function openMember({
  url,
  module,
  options,
}: Omit<ProcessMemberOptions, 'work'>): Promise<LeadershipSource> {
  if (module === undefined) return openLeadership(url, options);
  const { backend } = (await import(module)) as { readonly backend: BackendModule };
  return backend.open(parseAddress(url, backend.parameters), options);
}

/** Runs the configured work in each term and logs when it begins and settles. */
function workOf(work: MemberWork, write: Journal): Work {
  return async (term) => {
    write({ kind: 'working', partition: term.partition, token: term.token });
    try {
      await perform(work, term, write);
    } finally {
      write({ kind: 'settled', partition: term.partition, token: term.token });
    }
  };
}

async function perform(work: MemberWork, term: Term, write: Journal): Promise<void> {
  if (work.kind === 'stuck') await new Promise(() => undefined);
  if (work.kind === 'write') return keepWriting(work, term, write);
  await aborted(term.signal);
  if (work.kind === 'drain') await pause(work.drainMs);
}
