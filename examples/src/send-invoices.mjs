// An ordinary program, for `leadership run`. It knows the token of its term, and ends on SIGTERM.
import { setTimeout as pause } from 'node:timers/promises';

const ending = new AbortController();
process.once('SIGTERM', () => ending.abort());

for (let invoice = 1; !ending.signal.aborted; invoice += 1) {
  const atNs = String(process.hrtime.bigint());
  console.log(JSON.stringify({ invoice, token: process.env.LEADERSHIP_TOKEN, atNs }));
  await pause(50);
}
// The invoice that it has begun takes a while: the successor waits for it.
await pause(200);
