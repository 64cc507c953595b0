// An HTTP endpoint for monitoring: 200 while the source is healthy, otherwise 503 with the reasons.
import { createServer, type Server } from 'node:http';
import type { LeadershipSource } from '@leadership/core';
import { readiness } from '@leadership/http';

/** Creates a server that responds with the health of the source as JSON. */
export function healthEndpoint(source: LeadershipSource): Server {
  return createServer(readiness(source));
}
