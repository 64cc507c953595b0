// An HTTP endpoint for monitoring: 200 while the source is healthy, otherwise 503 with the reasons.
import { createServer, type Server } from 'node:http';
import type { LeadershipSource } from '@leadership/core';

/** Creates a server that responds with the health of the source as JSON. */
export function healthEndpoint(source: LeadershipSource): Server {
  return createServer((_request, response) => {
    const health = source.health();
    response
      .writeHead(health.ok ? 200 : 503, { 'content-type': 'application/json' })
      .end(JSON.stringify(health));
  });
}
