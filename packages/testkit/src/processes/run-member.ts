import { LeadershipError, type LeadershipSource } from '@leadership/core';
import type { Command } from './command.ts';
import type { Journal } from './journal.ts';
import { openMember } from './open-member.ts';
import type { ProcessMemberOptions } from './process-member.ts';
import { obey } from './run-command.ts';
import { watchBeliefs } from './watch-beliefs.ts';
import { workOf } from './work.ts';

/** An open member. */
export interface Life {
  obey(command: Command): void;
  /** Resolves once the member has closed. */
  readonly ended: Promise<void>;
}

/**
 * Opens the member, starts its work and logs its events. Returns `undefined` if the options are
 * invalid.
 */
export async function live(
  { work, ...options }: ProcessMemberOptions,
  write: Journal,
): Promise<Life | undefined> {
  const source = await open(options, write);
  if (source === undefined) return undefined;
  write({ kind: 'opened' });
  const watch = watchBeliefs(source, write);
  tellOf(source, write);
  void source.leadEach(workOf(work, write));
  let close = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    close = resolve;
  });
  const end = async (): Promise<void> => {
    await told;
    await source.close();
    watch[Symbol.dispose]();
    write({ kind: 'closed' });
  };
  return { obey: (command) => obey({ source, watch, write, close }, command), ended: end() };
}

async function open(
  options: Omit<ProcessMemberOptions, 'work'>,
  write: Journal,
): Promise<LeadershipSource | undefined> {
  try {
    return await openMember(options);
  } catch (error) {
    if (!(error instanceof LeadershipError)) throw error;
    write({ kind: 'refused', detail: sentenceOf(error) });
    return undefined;
  }
}

function tellOf(source: LeadershipSource, write: Journal): void {
  const refused = (error: LeadershipError): void => {
    if (error.code !== 'closed') write({ kind: 'refused', detail: sentenceOf(error) });
  };
  source.ready().then(() => write({ kind: 'ready' }), refused);
  source.events$.subscribe(({ kind, code }) => {
    if (kind === 'trouble' || kind === 'mended')
      write({ kind: 'health', detail: `${kind} ${code}` });
  });
}

function sentenceOf({ code, message }: LeadershipError): string {
  return `${code}: ${message}`;
}
