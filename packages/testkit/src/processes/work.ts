// The work that a member process does while it leads.
import { setTimeout as pause } from 'node:timers/promises';
import type { Term, Work } from '@leadership/core';
import { aborted } from '@leadership/core/adapter';
import type { Journal } from './journal.ts';
import { keepWriting } from './keep-writing.ts';
import type { MemberWork } from './process-member.ts';

/** Runs the configured work in each term and logs when it begins and settles. */
export function workOf(work: MemberWork, write: Journal): Work {
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
