// The same program runs on every backend. Only the URL changes:
//   memory:reports                                 members within one process, for tests
//   file:/var/lib/app/leadership?group=reports     processes of one host
// The query may contain options: file:./leadership?group=reports&thresholdMs=1000
import { openLeadership } from '@leadership/core';
import { firstValueFrom } from 'rxjs';

/**
 * Joins the group, runs `work` once as the leader, and leaves. Returns the result and the
 * guarantees of the backend.
 */
export async function workOnce(url: string, work: () => Promise<string>): Promise<string> {
  const source = await openLeadership(url);
  try {
    const { exclusive, failoverMsMax } = source.guarantees;
    const done = await firstValueFrom(source.role('report').whileLeading(work));
    return `${done}; ${exclusive ? 'one leader at a time' : 'leaders may overlap'}, the next one ${failoverMsMax} ms after a crash`;
  } finally {
    await source.close();
  }
}
