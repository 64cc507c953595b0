// Three members of Nerio over TCP, with HTTP servers that pass requests to the leader.
import { createServer } from 'node:http';
import { proxyToLeader } from '@leadership/http';
import { nerioLeadership } from '@leadership/nerio';

const [ports, httpPorts] = [process.argv[2], process.argv[3]].map((list) => list.split(','));
const members = ports.map((port) => `127.0.0.1:${port}`);
const options = { group: 'g', members, partitions: 1, thresholdMs: 1500, log: false };

const group = await Promise.all(
  members.map(async (member, index) => {
    const url = `http://127.0.0.1:${httpPorts[index]}`;
    const source = nerioLeadership({ ...options, member, metadata: { url } });
    const role = source.role(0);
    const toLeader = proxyToLeader(role);
    const answer = async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      response.end(`${body} at ${member}`);
    };
    const server = createServer((request, response) =>
      toLeader(request, response, () => answer(request, response)),
    );
    await new Promise((resolve) => server.listen(httpPorts[index], '127.0.0.1', resolve));
    return { member, source, role, server, url };
  }),
);

async function until(holds) {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const leader = () => group.find(({ role }) => role.isLeading());
await until(() => leader() && group.every(({ role }) => role.leader()));
const first = leader();
for (const { url } of group) {
  const response = await fetch(url, { method: 'POST', body: 'tea' });
  if ((await response.text()) !== `tea at ${first.member}`) throw new Error('not at the leader');
}
await first.source.close();
await until(() => leader());
for (const { source, server } of group) {
  await source.close();
  server.closeAllConnections();
  server.close();
}
console.log('ended');
