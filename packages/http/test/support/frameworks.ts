// The same application in each framework: it answers POST /orders through the middleware.
import type { IncomingMessage, RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import express5 from 'express';
import Fastify from 'fastify';
import {
  leadershipPlugin,
  liveness,
  type Middleware,
  proxyToLeader,
  readiness,
  redirectToLeader,
} from '../../src/index.ts';
import type { Framework } from './two-members.ts';

/** The types of Express 5 also describe what the test uses of Express 4. */
const express4 = createRequire(import.meta.url)('express4') as typeof express5;

export type Via = 'redirect' | 'proxy';

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  return text;
}

const middlewareOf = (via: Via, role: Parameters<Framework>[0]['role']): Middleware =>
  via === 'proxy' ? proxyToLeader(role) : redirectToLeader(role);

const plain =
  (via: Via): Framework =>
  ({ role, answer }) => {
    const toLeader = middlewareOf(via, role);
    return (request, response) =>
      toLeader(request, response, () => {
        bodyOf(request).then(
          (body) => response.end(answer(`${request.method} ${request.url}`, body)),
          () => response.destroy(),
        );
      });
  };

const onExpress =
  (express: typeof express5) =>
  (via: Via): Framework =>
  ({ source, role, answer }) => {
    const app = express();
    app.get('/livez', liveness(source));
    app.get('/readyz', readiness(source));
    app.use('/api', middlewareOf(via, role));
    app.post('/api/orders', express.text(), (request, response) => {
      response.send(answer(`${request.method} ${request.originalUrl}`, request.body));
    });
    return app as RequestListener;
  };

const onFastify =
  (via: Via): Framework =>
  async ({ source, answer }) => {
    const fastify = Fastify();
    await fastify.register(leadershipPlugin, {
      source,
      via,
      role: 0,
      liveness: '/livez',
      readiness: '/readyz',
    });
    fastify.post('/api/orders', async (request) =>
      answer(`${request.method} ${request.url}`, String(request.body)),
    );
    await fastify.ready();
    return fastify.routing;
  };

export const frameworks: readonly (readonly [string, (via: Via) => Framework])[] = [
  ['node:http', plain],
  ['Express 5', onExpress(express5)],
  ['Express 4', onExpress(express4)],
  ['Fastify 5', onFastify],
];
