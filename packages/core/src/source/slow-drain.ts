import type { Term } from '../contract/term.ts';
import { mayAwaitLead } from '../process/work-scope.ts';
import type { Complaint } from './vitals.ts';

/** What is said of work that has used up more than half of the time that an orderly end gives it. */
export function slowDrain(term: Term, drainTimeoutMs: number): Complaint {
  const rule = `the work of partition ${term.partition} uses more than half of drainTimeoutMs ${drainTimeoutMs} to end, and is fenced after it`;
  const remedy = mayAwaitLead(term)
    ? 'it called lead(), which resolves only once the source has closed: call it with { signal: term.signal }, or do not await it'
    : 'let work return soon after term.signal aborts, or raise drainTimeoutMs';
  return { code: 'slow-drain', message: `${rule}; ${remedy}`, partition: term.partition };
}
