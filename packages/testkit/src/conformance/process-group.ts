// Starts member processes for a check, and ends them.
import type { MemberEvent, MemberWork, ProcessMember } from '../processes/process-member.ts';
import type { CheckContext } from './check-context.ts';

/** The member processes of one check. Disposal kills them. */
export interface ProcessGroup extends AsyncDisposable {
  /** Starts a member and resolves once it is ready. */
  join(member: string): Promise<ProcessMember>;
  /** Returns the events of all members, including killed ones. */
  events(): readonly MemberEvent[];
  /**
   * Returns the member that, by the logs, leads partition 0 in a term that began after `afterNs`.
   */
  leading(afterNs?: bigint): LeadingProcess | undefined;
  /** Waits until `leading` returns a member. */
  leader(afterNs?: bigint): Promise<LeadingProcess>;
}

/** A leading member process and its `acquired` event. */
export interface LeadingProcess {
  readonly member: ProcessMember;
  readonly acquired: MemberEvent & { readonly token: bigint };
}

/** Starts the named members with the same work and resolves once all are ready. */
export async function processGroup(
  context: CheckContext,
  names: readonly string[],
  work: MemberWork,
  group: string = context.group,
): Promise<ProcessGroup> {
  const members: ProcessMember[] = [];
  const join = async (name: string): Promise<ProcessMember> => {
    const member = await context.spawn(name, work, group);
    members.push(member);
    await context.logged(member, ({ kind }) => kind === 'ready');
    return member;
  };
  await Promise.all(names.map(join));
  const leading = (afterNs = 0n): LeadingProcess | undefined => {
    for (const member of members) {
      const last = member.events.findLast(
        ({ kind }) => kind === 'acquired' || kind === 'released' || kind === 'fenced',
      );
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
    leader: (afterNs) =>
      context.until('a member process leads in a later term', () => leading(afterNs)),
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map((member) => member.kill()));
    },
  };
}
