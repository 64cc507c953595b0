// A gateway that redirects every request to the leader. With `campaign: false`, it observes and
// never leads. Members that may lead publish their address: openLeadership(url, { metadata: { url:
// 'http://10.0.0.7:8080' } }).
import { createServer, type Server } from 'node:http';
import { type LeadershipSource, openLeadership } from '@leadership/core';
import { redirectToLeader } from '@leadership/http';

/** Opens a source that observes the leader. This process never leads. */
export function observe(leadershipUrl: string): Promise<LeadershipSource> {
  return openLeadership(leadershipUrl, { campaign: false });
}

/** Creates a server that redirects to the leader of `role`. It responds with 503 without one. */
export function gateway(source: LeadershipSource, role: string): Server {
  const toLeader = redirectToLeader(source.role(role));
  const handleAsLeader = (): never => {
    throw new Error('an observer never leads');
  };
  return createServer((request, response) => toLeader(request, response, handleAsLeader));
}
