/**
 * A page that shows the leaders of a group: {@link dashboard} returns a request handler for Express,
 * Fastify, `node:http` or `node:http2`.
 *
 * @packageDocumentation
 */
export { type Dashboard, type DashboardOptions, dashboard } from './dashboard.ts';
export type { HttpRequest, HttpResponse } from './state-stream.ts';
