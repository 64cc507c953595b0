// A gateway that redirects every request to the leader. With `campaign: false`, it observes and
// never leads. Members that may lead publish their address: openLeadership(url, { metadata: { url:
// 'http://10.0.0.7:8080' } }).
import { createServer, type Server } from 'node:http';
import { type LeadershipSource, openLeadership } from '@leadership/core';

/** Opens a source that observes the leader. This process never leads. */
export function observe(leadershipUrl: string): Promise<LeadershipSource> {
  return openLeadership(leadershipUrl, { campaign: false });
}

/**
 * Creates a server that redirects to the leader of `role`, or responds with 503 while no leader is
 * known.
 */
export function redirectToLeader(source: LeadershipSource, role: string): Server {
  return createServer((request, response) => {
    const url = source.role(role).leader()?.metadata['url'];
    if (url === undefined)
      response.writeHead(503, { 'retry-after': '1' }).end('no leader at the moment\n');
    // The leader may have changed since, so the member that receives the request must call
    // isLeading() itself.
    else response.writeHead(307, { location: new URL(request.url ?? '/', url).href }).end();
  });
}
