// Middleware that redirects clients to the leader.
import type { Role } from '@leadership/core';
import { writeHead } from '@leadership/core/internal';
import { type Middleware, type ToLeaderOptions, targetOf, toLeader } from './to-leader.ts';

/**
 * Returns middleware that redirects requests to the leader of `role`, unless this member leads. A
 * client sends the same method and body again (status 307), and does not remember the answer. While
 * no leader is known, it receives 503.
 *
 * The address of a leader is its `metadata.url`: `openLeadership(url, { metadata: { url:
 * 'http://10.0.0.7:8080' } })`. Clients must be able to reach it; else use `proxyToLeader`.
 */
export function redirectToLeader(role: Role, options: ToLeaderOptions = {}): Middleware {
  return toLeader(role, options, ({ request, response }, base) => {
    // Not 308: clients remember 308, but the leader changes.
    const location = targetOf(request, base);
    writeHead(response, 307, { location, 'cache-control': 'no-store' });
    response.end();
  });
}
