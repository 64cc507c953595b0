// A gateway that sends every request to the leader. It observes and never leads: `campaign: false`. Members that may lead
// publish where they are reached: openLeadership(url, { metadata: { url: 'http://10.0.0.7:8080' } }).
import { createServer, type Server } from 'node:http';
import { type LeadershipSource, openLeadership } from '@leadership/core';

/** Who leads is to be had from this source, and it will never be this process. */
export function observe(leadershipUrl: string): Promise<LeadershipSource> {
  return openLeadership(leadershipUrl, { campaign: false });
}

/** Redirects to the leader of `role`; 503 while nobody is known to lead. */
export function redirectToLeader(source: LeadershipSource, role: string): Server {
  return createServer((request, response) => {
    const place = source.role(role).leader()?.metadata['url'];
    if (place === undefined) response.writeHead(503, { 'retry-after': '1' }).end('nobody leads just now\n');
    // Advice, not proof: the leader may have changed. Who gets the request asks isLeading() itself.
    else response.writeHead(307, { location: new URL(request.url ?? '/', place).href }).end();
  });
}
