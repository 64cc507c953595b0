// An application on Express, whose leader takes the orders. Other members pass orders on.
import type { LeadershipSource } from '@leadership/core';
import { dashboard } from '@leadership/dashboard';
import { liveness, proxyToLeader, readiness } from '@leadership/http';
import express, { type Express } from 'express';

/** Creates the application of one member. */
export function application(source: LeadershipSource): Express {
  const app = express();
  app.get('/livez', liveness(source));
  app.get('/readyz', readiness(source));
  app.use('/admin/leadership', dashboard(source));
  // Before parsers: the body is sent to the leader as it arrives.
  app.use('/orders', proxyToLeader(source.role('orders')));
  app.post('/orders', express.json(), (request, response) => {
    response.status(201).json({ ...request.body, takenBy: source.member });
  });
  return app;
}
