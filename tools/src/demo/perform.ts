import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource, Role, Term } from '@leadership/core';
import type { Command, Look, Note } from './note.ts';
import { type StallWatch, stallWatch } from './stall-watch.ts';

/** How often a member looks at itself. Milliseconds: a twentieth of the demo's T. */
const lookEveryMs = 50;
/** How long a member's work takes to come to an end, so that one sees that the successor waits for it. Milliseconds. */
const drainMs = 250;

/** Plays a member: leads, tells everything that happens and what it sees, and does as it is told. */
export function perform(source: LeadershipSource, tell: (note: Note) => void): (command: Command) => void {
  const role = source.role('demo');
  const watch = stallWatch();
  const look = watcher(role, watch);
  source.events$.subscribe({
    next(event) {
      const atNs = process.hrtime.bigint();
      tell(look());
      tell({ kind: 'event', atNs, event });
    },
    complete() {
      clearInterval(timer);
      watch[Symbol.dispose]();
    },
  });
  const timer = setInterval(() => tell(look()), lookEveryMs);
  tell({ kind: 'opened', atNs: process.hrtime.bigint(), guarantees: source.guarantees });
  void role.lead(work);
  return (command) => void (command === 'close' ? source.close() : role.resign());
}

/** The work: nothing until the term is ending, and then something that takes its time. */
async function work({ signal }: Term): Promise<void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await pause(drainMs);
}

function watcher(role: Role, watch: StallWatch): () => Look {
  let state: Look['state'] = 'waiting';
  role.leadership$.subscribe((leadership) => {
    state = leadership.state;
  });
  return () => {
    // Before the question: whoever leads when asked has led at this instant already.
    const atNs = process.hrtime.bigint();
    const token = role.term()?.token;
    const leader = role.leader()?.member;
    const seen = { remainingMs: role.remainingMs(), stallMs: watch.takeMs() };
    return { kind: 'look', atNs, state, ...(token !== undefined && { token }), ...(leader !== undefined && { leader }), ...seen };
  };
}
