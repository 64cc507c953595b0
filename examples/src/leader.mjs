import { setTimeout as pause } from 'node:timers/promises';
import { openLeadership } from '@leadership/core';

// Every process that opens this URL is a member of the group "billing".
const source = await openLeadership(
  process.env.LEADERSHIP_URL ?? 'file:./leadership?group=billing',
);
const invoices = source.role('invoice-run');
invoices.leadership$.subscribe(({ state }) => console.log(state)); // waiting | leading | revoking | fenced
process.once('SIGTERM', () => source.close()); // hands over in order, then lead() below resolves

await invoices.lead(async (term) => {
  // Runs on one member at a time, and again in each of its terms.
  while (!term.signal.aborted) {
    console.log(`invoice sent in term ${term.token}`); // a store refuses lower tokens
    await pause(500, undefined, { signal: term.fenced });
  }
  // The term is ending: the successor waits until this function has returned.
});
