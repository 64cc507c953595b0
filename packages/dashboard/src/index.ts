/**
 * A page that shows the leaders of a group: {@link dashboard} returns a request handler for Express,
 * Fastify or `node:http`.
 *
 * @packageDocumentation
 */
export { type Dashboard, type DashboardOptions, dashboard } from './dashboard.ts';
