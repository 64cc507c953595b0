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
    const answer = async (request, response, wasLeading) => {
      let body = '';
      for await (const part of request) body += part;
      response.end(JSON.stringify({ body, member, wasLeading }));
    };
    const server = createServer((request, response) => {
      const wasLeading = role.isLeading();
      toLeader(request, response, () => answer(request, response, wasLeading));
    });
    await new Promise((resolve) => server.listen(httpPorts[index], '127.0.0.1', resolve));
    return { member, source, role, server, url };
  }),
);

async function until(holds) {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const deadline = performance.now() + 90_000;
const refusals = new Set();

/**
 * Sends a request until a leader has handled it, and returns that member. The leader may change at
 * any time, and the request is refused then; but no member that does not lead may handle it.
 */
async function handledBy(url) {
  while (performance.now() < deadline) {
    const response = await fetch(url, { method: 'POST', body: 'tea' });
    const text = await response.text();
    if (response.ok) {
      const { body, member, wasLeading } = JSON.parse(text);
      if (body !== 'tea' || !wasLeading) throw new Error(`handled by no leader: ${text}`);
      return member;
    }
    refusals.add(`${response.status} ${text.trim()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`no leader handled the requests: ${[...refusals].join('; ')}`);
}

/** Returns a member that has handled the requests to all of them, so that the others passed them on. */
async function handledByOne() {
  for (;;) {
    const handlers = [];
    for (const { url } of group) handlers.push(await handledBy(url));
    if (new Set(handlers).size === 1) return handlers[0];
  }
}

const first = await handledByOne();
await group.find(({ member }) => member === first).source.close();
await until(() => group.some(({ role }) => role.isLeading()));
for (const { source, server } of group) {
  await source.close();
  server.closeAllConnections();
  server.close();
}
console.log('ended');
