import type { MemberEvent, MemberWork, ProcessMember } from '../faults/process-member.ts';
import type { Trial } from './trial.ts';

/** Member processes of one trial. Disposing kills them. */
export interface Troupe extends AsyncDisposable {
  /** One more, once it is ready. */
  join(member: string): Promise<ProcessMember>;
  /** What all of them logged, the dead ones too. */
  events(): readonly MemberEvent[];
  /** Who leads partition 0 in a term that began after that instant of the host's clock, as far as the logs tell. */
  leading(afterNs?: bigint): LeadingProcess | undefined;
  /** The same, once there is one. */
  leader(afterNs?: bigint): Promise<LeadingProcess>;
}

/** A member process that leads, and the event that says so. */
export interface LeadingProcess {
  readonly member: ProcessMember;
  readonly acquired: MemberEvent & { readonly token: bigint };
}

/** A troupe of so many members, all ready, which all do that work. */
export async function troupe(trial: Trial, names: readonly string[], work: MemberWork, group: string = trial.group): Promise<Troupe> {
  const members: ProcessMember[] = [];
  const join = async (name: string): Promise<ProcessMember> => {
    const member = await trial.spawn(name, work, group);
    members.push(member);
    await member.until(({ kind }) => kind === 'ready', trial.patienceMs);
    return member;
  };
  await Promise.all(names.map(join));
  const leading = (afterNs = 0n): LeadingProcess | undefined => {
    for (const member of members) {
      const last = member.events.findLast(({ kind }) => kind === 'acquired' || kind === 'released' || kind === 'fenced');
      if (last?.kind === 'acquired' && last.token !== undefined && last.atNs > afterNs) {
        return { member, acquired: { ...last, token: last.token } };
      }
    }
    return undefined;
  };
  return {
    join,
    leading,
    events: () => members.flatMap(({ events }) => events),
    leader: (afterNs) => trial.until('a member process leads in a later term', () => leading(afterNs)),
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map((member) => member.kill()));
    },
  };
}
