import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { MemberEvent } from '../faults/process-member.ts';
import { formatEvent } from './event-line.ts';

/** An event as it is noted: who, and when unless it was before now, is filled in. */
type Note = Omit<MemberEvent, 'member' | 'life' | 'atNs'> & { readonly atNs?: bigint };

/** Writes one event down, before it returns: a SIGKILL in the next statement does not lose it. */
export type Journal = (note: Note) => void;

/** The journal of this process, on its standard output. */
export function journal(member: string): Journal {
  const life = randomUUID();
  return (note) => {
    const line = formatEvent({ atNs: process.hrtime.bigint(), member, life, ...note });
    // A stop in the middle of a write cuts it short.
    for (let rest = Buffer.from(`${line}\n`); rest.length > 0; ) rest = rest.subarray(writeSync(1, rest));
  };
}
