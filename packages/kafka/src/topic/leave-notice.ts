// A member that leaves the election writes that to the topic too, before it releases its
// partitions. The coordinator notifies the other members one heartbeat later: until then they would
// assign some of those partitions to the member that has left.

/** One session of a member in the group has ended. */
export interface LeaveNotice {
  readonly incarnation: string;
  /** The number of the session that ended: a member may join the group several times. */
  readonly session: number;
}

/**
 * Formats a leave notice. Its fields are nested, so that no release mistakes it for a record that
 * takes effect (L1).
 */
export function formatLeaveNotice(group: string, { incarnation, session }: LeaveNotice): string {
  return JSON.stringify({ group, leaveNotice: { incarnation, session } });
}

/** Returns the leave notice in plain data; `undefined` if the data are not a leave notice. */
export function toLeaveNotice(data: unknown): LeaveNotice | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { incarnation, session } = data as Readonly<Record<string, unknown>>;
  return typeof incarnation === 'string' &&
    typeof session === 'number' &&
    Number.isSafeInteger(session)
    ? { incarnation, session }
    : undefined;
}
