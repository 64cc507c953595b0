// The plugin of Fastify.
import type { LeadershipSource } from '@leadership/core';
import { type Handler, liveness, type ReadinessOptions, readiness } from './health.ts';
import { type ProxyOptions, proxyToLeader } from './proxy.ts';
import { redirectToLeader } from './redirect.ts';
import type { HttpRequest, HttpResponse, Middleware } from './to-leader.ts';

/** Options for {@link leadershipPlugin}. */
export interface LeadershipPluginOptions extends ProxyOptions, ReadinessOptions {
  /** The source of this process. */
  readonly source: LeadershipSource;
  /** The role whose leader handles the requests of this scope. Default: each member handles its own. */
  readonly role?: string | number;
  /** How requests reach the leader. Default `redirect`. */
  readonly via?: 'redirect' | 'proxy';
  /** The path of the liveness probe. Default: none. */
  readonly liveness?: string;
  /** The path of the readiness probe. Default: none. */
  readonly readiness?: string;
}

/** The members of a Fastify instance that the plugin uses. */
export interface FastifyScope {
  /** Adds a hook. */
  addHook(
    name: 'onRequest',
    hook: (request: never, reply: never, done: (error?: unknown) => void) => void,
  ): unknown;
  /** Adds a route. */
  get(path: string, options: object, handler: (request: never, reply: never) => void): unknown;
}

/** A plugin of Fastify, for `fastify.register(leadershipPlugin, { source, … })`. */
export type LeadershipPlugin = (
  fastify: FastifyScope,
  options: LeadershipPluginOptions,
  done: (error?: Error) => void,
) => void;

interface Request {
  readonly raw: HttpRequest;
  readonly routeOptions: { readonly url?: string | undefined };
}

interface Reply {
  readonly raw: HttpResponse;
  hijack(): unknown;
}

/**
 * A Fastify plugin: requests to other members go to the leader of `role`, and probes are answered by
 * this member. It applies to the scope that registers it.
 */
export const leadershipPlugin: LeadershipPlugin = Object.assign(
  (fastify: FastifyScope, options: LeadershipPluginOptions, done: (error?: Error) => void) => {
    const probes = [options.liveness, options.readiness];
    if (options.role !== undefined) {
      const middleware = middlewareOf(options);
      fastify.addHook(
        'onRequest',
        (request: Request, reply: Reply, next: (error?: unknown) => void) => {
          if (probes.includes(request.routeOptions.url)) return next();
          let isPassed = false;
          middleware(request.raw, reply.raw, (error) => {
            isPassed = true;
            next(error);
          });
          if (!isPassed) reply.hijack();
        },
      );
    }
    const answer = (path: string | undefined, handler: Handler): void => {
      if (path === undefined) return;
      fastify.get(path, {}, (request: Request, reply: Reply) => {
        reply.hijack();
        handler(request.raw, reply.raw);
      });
    };
    answer(options.liveness, liveness(options.source));
    answer(options.readiness, readiness(options.source, options));
    done();
  },
  // Fastify would confine hook and routes to a scope of their own.
  { [Symbol.for('skip-override')]: true },
);

function middlewareOf({ source, role = 0, via, ...options }: LeadershipPluginOptions): Middleware {
  return via === 'proxy'
    ? proxyToLeader(source.role(role), options)
    : redirectToLeader(source.role(role), options);
}
