// Who stands for election, as the consumer group knows it: a member that dies is missed when its session ends, and everyone is
// told at once that somebody came or left. That is all that the exclusive guarantee needs of the group: it assigns nothing, and
// whatever else knows who is there may stand in its place. Which member should lead what is for the balance to say, by what they
// hold just now. While the coordinator is away the members it told last count, and where there never were any, members claim what
// lapses all the same.
import { latest, raised } from '@leadership/core/backend';
import type { Presence } from '@leadership/core/ledger';
import { kafkaError } from './errors.ts';
import type { Farewell } from './farewell.ts';
import { groupIdOf, groupLife } from './group-life.ts';
import type { Plan } from './plan.ts';
import { stickyAssigner } from './sticky-assigner.ts';
import type { Wiring } from './wiring.ts';

/** Presence, until the group has been left. */
export interface GroupPresence extends Presence {
  /** Resolves once the group has been left: after the last announcement was called off. */
  left(): Promise<void>;
}

/** What presence asks of the rest of the member. */
export interface PresenceParts {
  /** Resolves once there is a topic to subscribe to. */
  readonly topicIsThere: Promise<void>;
  /** Tells the others at once. */
  readonly farewell: (farewell: Farewell) => void;
  readonly farewells: (signal: AbortSignal) => AsyncIterable<Farewell>;
}

/** Presence by the consumer group, from when there is a topic. */
export function groupPresence(wiring: Wiring, { topicIsThere, farewell, farewells }: PresenceParts): GroupPresence {
  const { topic, host } = wiring;
  const { incarnation } = host;
  const members = latest<readonly string[]>();
  const standing = attendance((present) => members.set(present));
  const troubles = raised(host, 'trouble');
  let stays = 0;
  const life = groupLife({
    wiring,
    topicIsThere,
    assigner: stickyAssigner({ topic, memberInfo: () => ({ incarnation, stay: stays }) }),
    assigns: false,
    planned(plan) {
      troubles.mend('group');
      standing.planned(plan);
    },
    broke: (error) => troubles.raise('group', kafkaError(error, `consumer group ${groupIdOf(wiring)}`)),
    entered(signal) {
      stays += 1;
      const stay = stays;
      const sayFarewell = (): void => farewell({ incarnation, stay });
      signal.addEventListener('abort', sayFarewell, { once: true });
      return { [Symbol.dispose]: () => signal.removeEventListener('abort', sayFarewell) };
    },
  });
  return {
    async announce(signal) {
      await life.stand(signal);
      troubles.mendAll();
    },
    async *present(signal) {
      const following = (async () => {
        for await (const one of farewells(signal)) standing.left(one);
      })();
      yield* members.follow(signal);
      await following;
    },
    left: life.left,
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
