// The same program on every backend: only the URL changes.
//   memory:reports                                 members of one process, for tests
//   file:/var/lib/app/leadership?group=reports     processes of one host
// Options may stand in the query as well: file:./leadership?group=reports&thresholdMs=1000
import { openLeadership } from '@leadership/core';
import { firstValueFrom } from 'rxjs';

/** Becomes a member, works once as the leader, and leaves. Returns what it did and what the backend promises. */
export async function workOnce(url: string, work: () => Promise<string>): Promise<string> {
  await using source = await openLeadership(url);
  const { exclusive, failoverMsMax } = source.guarantees;
  const done = await firstValueFrom(source.role('report').whileLeading(work));
  return `${done}; ${exclusive ? 'one leader at a time' : 'leaders may overlap'}, the next one ${failoverMsMax} ms after a crash`;
}
