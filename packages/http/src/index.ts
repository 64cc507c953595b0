/**
 * Leader election over HTTP, for Express, Fastify and `node:http`: {@link redirectToLeader} and
 * {@link proxyToLeader} send requests to the leader of a role, {@link liveness} and
 * {@link readiness} answer probes, and {@link leadershipPlugin} does both in Fastify.
 *
 * @packageDocumentation
 */
export { type Handler, liveness, type ReadinessOptions, readiness } from './health.ts';
export {
  type FastifyScope,
  type LeadershipPlugin,
  type LeadershipPluginOptions,
  leadershipPlugin,
} from './plugin.ts';
export { type ProxyOptions, proxyToLeader } from './proxy.ts';
export { redirectToLeader } from './redirect.ts';
export type { HttpRequest, HttpResponse, Middleware, ToLeaderOptions } from './to-leader.ts';
