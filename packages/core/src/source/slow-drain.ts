import type { Term } from '../contract/term.ts';
import { mayAwaitLead } from '../process/work-scope.ts';
import type { Complaint } from './health-tracker.ts';

/** Returns the complaint about work that still runs after half of its drain time-out. */
export function slowDrain(term: Term, drainTimeoutMs: number): Complaint {
  const symptom = `the work of partition ${term.partition} still runs after half of drainTimeoutMs (${drainTimeoutMs}), and will be fenced after all of it`;
  const remedy = mayAwaitLead(term)
    ? 'it called lead(), which resolves only once the source has closed: pass { signal: term.signal } to lead(), or do not await lead()'
    : 'let work return soon after term.signal aborts, or raise drainTimeoutMs';
  return { code: 'slow-drain', message: `${symptom}; ${remedy}`, partition: term.partition };
}
