// Starts the member processes of a soak test, and replaces those that a fault has killed.
import { type ProcessMember, spawnMember } from '@leadership/testkit/faults';
import { checkedSteps } from './checked-steps.ts';
import type { MemberSlot, Members, SoakContext, SoakEnvironment } from './environment.ts';
import type { Recorder } from './recorder.ts';
import type { Rng } from './rng.ts';
import type { SoakSettings } from './settings.ts';

/** Starts all members. */
export async function startMembers({
  settings,
  environment,
  rng,
  recorder,
}: Omit<SoakContext, 'members'>): Promise<Members> {
  const start = async (name: string): Promise<ProcessMember> => {
    const member = await startMember(settings, environment, rng, name);
    recorder.began(member);
    return member;
  };
  const names = Array.from({ length: settings.members }, (_, index) => `m${index + 1}`);
  const slots: MemberSlot[] = await Promise.all(
    names.map(async (name) => ({ name, member: await start(name), busy: false })),
  );
  return {
    slots,
    async restart(slot) {
      slot.member = await start(slot.name);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(slots.map(({ member }) => member.kill()));
    },
  };
}

/** Closes the members in order, one after the other. */
export async function closeMembers(members: Members, recorder: Recorder): Promise<void> {
  for (const { member } of members.slots) {
    await member.close();
    recorder.ended(member);
  }
}

/**
 * Starts an incarnation with random work: it finishes at once, takes a while, or never ends and
 * must be fenced (H2, H3).
 */
function startMember(
  { partitions, thresholdMs }: SoakSettings,
  environment: SoakEnvironment,
  rng: Rng,
  member: string,
): Promise<ProcessMember> {
  const drainMs = Math.round(rng.between(0, thresholdMs / 2));
  const work = rng.pick([
    { kind: 'idle' },
    { kind: 'drain', drainMs },
    { kind: 'drain', drainMs: 5 },
    { kind: 'stuck' },
  ] as const);
  const options = { member, partitions, thresholdMs, drainTimeoutMs: thresholdMs };
  return spawnMember(
    { ...environment.memberOptions(member), options, work },
    { ...environment.env, ...checkedSteps },
  );
}
