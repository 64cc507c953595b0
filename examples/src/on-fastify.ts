// An application on Fastify, whose leader takes the orders. Other members pass orders on.
import type { LeadershipSource } from '@leadership/core';
import { dashboard } from '@leadership/dashboard';
import { leadershipPlugin } from '@leadership/http';
import Fastify, { type FastifyInstance } from 'fastify';

/** Creates the application of one member. */
export function application(source: LeadershipSource): FastifyInstance {
  const fastify = Fastify();
  fastify.register(leadershipPlugin, { source, liveness: '/livez', readiness: '/readyz' });
  const page = dashboard(source);
  // With a prefix the address is answered with and without a slash at its end.
  fastify.register(
    (pages, _options, done) => {
      pages.get('/', (request, reply) => {
        reply.hijack();
        page(request.raw, reply.raw);
      });
      done();
    },
    { prefix: '/admin/leadership' },
  );
  // The requests of this scope are those of the leader.
  fastify.register((orders, _options, done) => {
    orders.register(leadershipPlugin, { source, role: 'orders', via: 'proxy' });
    orders.post('/orders', (request, reply) => {
      reply.code(201).send({ ...(request.body as object), takenBy: source.member });
    });
    done();
  });
  return fastify;
}
