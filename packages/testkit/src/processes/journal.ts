// Writes the events of a member process.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { formatEvent } from './event-json.ts';
import type { MemberEvent } from './process-member.ts';

/** An event to log. The journal adds the member, and the current time if `atNs` is missing. */
type Note = Omit<MemberEvent, 'member' | 'life' | 'atNs'> & { readonly atNs?: bigint };

/** Writes one event synchronously, so that a SIGKILL in the next statement does not lose it. */
export type Journal = (note: Note) => void;

/** Creates the journal of this process, which writes to standard output. */
export function journal(member: string): Journal {
  const life = randomUUID();
  return (note) => {
    const line = formatEvent({ atNs: process.hrtime.bigint(), member, life, ...note });
    // SIGSTOP can interrupt a write after a part of the line.
    for (let rest = Buffer.from(`${line}\n`); rest.length > 0; )
      rest = rest.subarray(written(rest));
  };
}

/** How long to wait for a reader that is behind. Milliseconds. */
const fullMs = 1;

/**
 * Writes some of the bytes. Returns how many: none if the pipe is full, because its reader is behind.
 * A member with thousands of partitions logs as many lines at once.
 */
function written(bytes: Buffer): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullMs);
    return 0;
  }
}
