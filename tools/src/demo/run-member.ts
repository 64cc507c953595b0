import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource, Role, Term } from '@leadership/core';
import type { Command, MemberMessage, Observation } from './member-message.ts';
import { type StallWatch, stallWatch } from './stall-watch.ts';

/** Milliseconds between two observations of a member: a twentieth of the demo's T. */
const observeEveryMs = 50;
/**
 * Milliseconds that the work of a member takes to finish. Long enough to show that the successor
 * waits for it.
 */
const drainMs = 250;

/** The connections of a member: to its store, or to the other members. */
export interface Network {
  cut(): void;
  mend(): void;
}

/**
 * Campaigns for the demo's role and reports every event and regular observations to `notify`.
 * Returns a function that executes a command of the demo.
 */
export function runMember(
  source: LeadershipSource,
  network: Network,
  notify: (message: MemberMessage) => void,
): (command: Command) => void {
  const role = source.role('demo');
  const watch = stallWatch();
  const observe = observer(role, watch);
  source.events$.subscribe({
    next(event) {
      const atNs = process.hrtime.bigint();
      notify(observe());
      notify({ kind: 'event', atNs, event });
    },
    complete() {
      clearInterval(timer);
      watch[Symbol.dispose]();
    },
  });
  const timer = setInterval(() => notify(observe()), observeEveryMs);
  notify({ kind: 'opened', atNs: process.hrtime.bigint(), guarantees: source.guarantees });
  void role.lead(work);
  return (command) => {
    if (command === 'cut') network.cut();
    else if (command === 'mend') network.mend();
    else void (command === 'close' ? source.close() : role.resign());
  };
}

/** Waits for the end of the term, then simulates work that takes a while to finish. */
async function work({ signal }: Term): Promise<void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await pause(drainMs);
}

function observer(role: Role, watch: StallWatch): () => Observation {
  let state: Observation['state'] = 'waiting';
  role.leadership$.subscribe((leadership) => {
    state = leadership.state;
  });
  return () => {
    // Read the clock before the state: a member that leads when asked has already led at this
    // instant.
    const atNs = process.hrtime.bigint();
    const token = role.term()?.token;
    const leader = role.leader()?.member;
    const seen = { remainingMs: role.remainingMs(), stallMs: watch.takeMs() };
    return {
      kind: 'observation',
      atNs,
      state,
      ...(token !== undefined && { token }),
      ...(leader !== undefined && { leader }),
      ...seen,
    };
  };
}
