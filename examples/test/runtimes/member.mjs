// A member on files that prints, many times per second, whether it leads. Node, Bun and Deno run it.
import { openLeadership } from '@leadership/core';

const source = await openLeadership(process.argv[2], { member: 'guest', log: false });
const role = source.role('report');
const printing = setInterval(() => {
  const isLeading = role.isLeading();
  console.log(JSON.stringify({ at: Date.now(), isLeading, token: String(role.term()?.token) }));
}, 20);
process.once('SIGTERM', async () => {
  await source.close();
  clearInterval(printing);
});
