import type { Membership } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import {
  announcesClaims,
  clockOfTimers,
  lostIsDone,
  withoutCancel,
  withoutLateTimers,
} from './seams.ts';
import type { Overrides } from './world.ts';

/** How late a timer comes after a pause at least. Milliseconds. */
const lateMs = 100;

/** Mutants of the shell and the source. */
export const mutants: readonly Mutant<Overrides>[] = [
  mutant('M2', 'deadline-from-the-answer', 'slow', 'exclusive', {
    does: 'counts its lease from the answer to a renewal',
    seeds: [1, 3, 22],
    overrides: {
      seams: {
        host: (host) => ({
          ...host,
          prolonged: (until, sentAt, lease) =>
            host.prolonged(after(until, host.clock.now() - sentAt), sentAt, lease),
        }),
      },
    },
  }),
  mutant('M2', 'lost-reply-is-success', 'slow', 'exclusive', {
    does: 'takes a request whose answer is lost for one that was done',
    overrides: { seams: { rows: lostIsDone(200) } },
  }),
  mutant('M3', 'announces-its-claim', 'register', 'exclusive', {
    does: 'announces a term when its claim is sent, before it is read back',
    overrides: { seams: { rows: announcesClaims } },
  }),
  mutant('M9', 'closes-without-a-release', 'register', 'closes', {
    does: 'closes, and leaves its partitions and its session as they are',
    overrides: {
      seams: {
        membership: (membership) => ({ ...bound(membership), close: async () => undefined }),
      },
    },
  }),
  mutant('H5', 'believes-its-timer', 'register', 'exclusive', {
    does: 'answers whether it leads by its timers, and not by the clock',
    overrides: { seams: { clock: clockOfTimers } },
  }),
  mutant('H4', 'forgets-late-timers', 'slow', 'H4', {
    does: 'sets no timer again after one that was late, as after a pause',
    overrides: {
      seams: { clock: withoutLateTimers(lateMs), shellClock: withoutLateTimers(lateMs) },
    },
  }),
  mutant('H2', 'does-not-drain', 'register', 'H2', {
    does: 'releases a partition while its work runs',
    overrides: {
      seams: {
        host: (host) => ({
          ...host,
          drain(partition) {
            void host.drain(partition);
            return Promise.resolve('drained');
          },
        }),
      },
    },
  }),
  mutant('health', 'keeps-its-troubles', 'register', 'troubles', {
    does: 'never ends a trouble',
    overrides: {
      seams: {
        host: (host) => ({
          ...host,
          trouble(...args) {
            host.trouble(...args);
            return { [Symbol.dispose]: () => undefined };
          },
        }),
      },
    },
  }),
  mutant('H3', 'takes-given-up-work-for-drained', 'late-work', 'H3', {
    does: 'releases a partition at once while work that was given up runs',
    overrides: {
      seams: {
        host: (host) => ({
          ...host,
          async drain(partition) {
            await host.drain(partition);
            return 'drained';
          },
        }),
      },
    },
  }),
  mutant('closes', 'keeps-its-timers', 'register', 'closes', {
    does: 'leaves its timers set when it closes',
    overrides: { seams: { shellClock: withoutCancel } },
  }),
];

/** Returns a membership as a plain object. */
function bound(membership: Membership): Membership {
  return {
    resign: (partition, abstainMs) => membership.resign(partition, abstainMs),
    campaign: (on, partition) => membership.campaign(on, partition),
    close: () => membership.close(),
  };
}
