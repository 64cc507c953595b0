import type { Term } from '../contract/term.ts';
import { mayAwaitLead } from '../process/work-scope.ts';
import type { Complaint } from './health-tracker.ts';

/** Returns the warning about work that has used up half of its drain time. */
export function slowDrain(term: Term, drainTimeoutMs: number): Complaint {
  const rule = `the work of partition ${term.partition} still runs after half of drainTimeoutMs ${drainTimeoutMs}, and is fenced when that time is over`;
  const remedy = mayAwaitLead(term)
    ? 'it called lead(), which resolves only once the source has closed: call it with { signal: term.signal }, or do not await it'
    : 'let work return soon after term.signal aborts, or raise drainTimeoutMs';
  return { code: 'slow-drain', message: `${rule}; ${remedy}`, partition: term.partition };
}
