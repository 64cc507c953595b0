// Who stands for election, as the consumer group knows it: a member that dies is missed when its session ends, and everyone is
// told at once that somebody came or left. Which of them should lead what is for the balance to say, by what they hold just now:
// an assignment made when somebody joined is stale with the first lease that moves. While the coordinator is away the members
// it told last stand, and where there never were any, members claim what lapses all the same.
import { keepTrying, latest } from '@leadership/core/backend';
import type { Presence } from '@leadership/core/ledger';
import { kafkaError } from './errors.ts';
import type { Farewell } from './farewell.ts';
import { stayInGroup } from './group.ts';
import { heldAssigner } from './held-assigner.ts';
import type { Plan } from './plan.ts';
import { warnings } from './warnings.ts';
import { limitsOf, type Wiring } from './wiring.ts';

/** Presence, until the group has been left. */
export interface GroupPresence extends Presence {
  /** Resolves once the group has been left: after the last announcement was called off. */
  left(): Promise<void>;
}

/** How often the coordinator hears from a member, as a share of T: that soon all of them know that somebody joins. */
const heartbeatShare = 1 / 6;
/** More often than this costs more than it brings. Milliseconds. */
const heartbeatMsMin = 100;

/** The consumer group of an election: no other group on the brokers is called so, whatever the application consumes. */
function groupIdOf({ topic, group }: Pick<Wiring, 'topic' | 'group'>): string {
  return `leadership.${topic}.${group}`;
}

/** How often a member sends a heartbeat: a third of a session at the most, so that two of them may get lost. Milliseconds. */
export function heartbeatMsOf({ thresholdMs, sessionTimeoutMs }: Pick<Wiring, 'thresholdMs' | 'sessionTimeoutMs'>): number {
  return Math.floor(Math.min(sessionTimeoutMs / 3, Math.max(heartbeatMsMin, heartbeatShare * thresholdMs)));
}

/** What presence asks of the rest of the member. */
export interface PresenceParts {
  /** Resolves once there is a topic to subscribe to. */
  readonly topicIsThere: Promise<void>;
  /** What is held just now, as far as was read. */
  readonly holders: () => ReadonlyMap<number, string>;
  /** Tells the others at once. */
  readonly farewell: (farewell: Farewell) => void;
  readonly farewells: (signal: AbortSignal) => AsyncIterable<Farewell>;
}

/** Presence by the consumer group, from when there is a topic. */
export function groupPresence(wiring: Wiring, { topicIsThere, holders, farewell, farewells }: PresenceParts): GroupPresence {
  const { partitions, thresholdMs, clock, host } = wiring;
  const { incarnation } = host;
  const members = latest<readonly string[]>();
  const standing = attendance((present) => members.set(present));
  const told = warnings(host);
  const planned = (plan: Plan): void => {
    told.mend('group');
    standing.planned(plan);
  };
  const broke = (error: unknown): true => {
    told.raise('group', kafkaError(error, `consumer group ${options.groupId}`));
    return true;
  };
  const backOff = { firstMs: thresholdMs / 4, lastMs: 2 * thresholdMs, random: host.random };
  const options = { ...wiring, ...limitsOf(wiring), groupId: groupIdOf(wiring), heartbeatMs: heartbeatMsOf(wiring) };
  let stays = 0;
  const assigner = heldAssigner({ partitions, incarnation, holders, stay: () => stays });
  let leaving: Promise<void> = Promise.resolve();
  const stay = async (signal: AbortSignal): Promise<void> => {
    stays += 1;
    const current = stays;
    const sayFarewell = (): void => farewell({ incarnation, stay: current });
    signal.addEventListener('abort', sayFarewell, { once: true });
    try {
      await stayInGroup({ ...options, assigner, planned }, signal);
    } finally {
      signal.removeEventListener('abort', sayFarewell);
    }
  };
  const stayOn = async (before: Promise<void>, signal: AbortSignal): Promise<void> => {
    await settledOrAborted(Promise.all([topicIsThere, before]), signal);
    await keepTrying({ attempt: () => stay(signal), broke }, backOff, clock, signal);
    told.mendAll();
    await before;
  };
  return {
    announce(signal) {
      leaving = stayOn(leaving, signal);
      return leaving;
    },
    async *present(signal) {
      const following = (async () => {
        for await (const one of farewells(signal)) standing.left(one);
      })();
      yield* members.follow(signal);
      await following;
    },
    left: () => leaving,
  };
}

/** Who is there: those in the plan, but for those whose farewell was heard before the coordinator knew. */
function attendance(changed: (present: readonly string[]) => void): { planned(plan: Plan): void; left(farewell: Farewell): void } {
  const gone = new Map<string, number>();
  let members: Plan['members'] = new Map();
  const tell = (): void => {
    const present = [...members].filter(([incarnation, stay]) => stay > (gone.get(incarnation) ?? 0));
    changed(present.map(([incarnation]) => incarnation));
  };
  return {
    planned(plan) {
      ({ members } = plan);
      for (const incarnation of gone.keys()) if (!members.has(incarnation)) gone.delete(incarnation);
      tell();
    },
    left({ incarnation, stay }) {
      if (!members.has(incarnation)) return;
      gone.set(incarnation, Math.max(stay, gone.get(incarnation) ?? 0));
      tell();
    },
  };
}

function settledOrAborted(awaited: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    awaited.then(done, done);
  });
}
