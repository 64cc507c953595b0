import { setTimeout as pause } from 'node:timers/promises';
import { lead } from '@leadership/core';

// Every process that runs this is a member of the group "billing". One of them sends invoices.
await lead(process.env.LEADERSHIP_URL ?? 'file:./leadership?group=billing', async (term) => {
  for (; !term.signal.aborted; await pause(500)) console.log(`invoice sent in term ${term.token}`);
});
