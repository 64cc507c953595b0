// The probes of Kubernetes and load balancers, as request handlers.
import type { Health, LeadershipError, LeadershipSource } from '@leadership/core';
import { publicTrouble, writeHead } from '@leadership/core/internal';
import type { HttpRequest, HttpResponse } from './to-leader.ts';

/** A request handler, for `node:http`, `node:http2` and Express. */
export type Handler = (request: HttpRequest, response: HttpResponse) => void;

/**
 * Returns the answer to a probe that restarts the process: 200, unless the source was refused for
 * good or closed. A store that cannot be reached does not count, because no restart repairs it.
 */
export function liveness(source: LeadershipSource): Handler {
  let end: string | undefined;
  source.ready().catch(({ message }: LeadershipError) => {
    end = message;
  });
  source.events$.subscribe({
    next: ({ kind, message }) => {
      if (kind === 'refused') end = message;
    },
    complete: () => {
      end ??= 'the source is closed';
    },
  });
  return (_request, response) =>
    send(response, end === undefined, { ok: end === undefined, ...(end && { message: end }) });
}

/** Options for {@link readiness}. */
export interface ReadinessOptions {
  /**
   * Returns whether the process may receive requests. Default: `health.ok`, which is `false` while
   * the store cannot be reached. A process that also serves requests that need no leader uses its
   * own rule.
   */
  readonly isReady?: (health: Health) => boolean;
}

/**
 * Returns the answer to a probe that sends traffic to the process: its health as JSON, with 200 or
 * 503. Of errors it shows name, code and message, and no stack.
 */
export function readiness(
  source: LeadershipSource,
  { isReady = ({ ok }) => ok }: ReadinessOptions = {},
): Handler {
  return (_request, response) => {
    const health = source.health();
    const { troubles, warnings } = health;
    send(response, isReady(health), {
      ...health,
      troubles: troubles.map(publicTrouble),
      warnings: warnings.map(publicTrouble),
    });
  };
}

function send(response: HttpResponse, isGood: boolean, body: unknown): void {
  writeHead(response, isGood ? 200 : 503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  response.end(JSON.stringify(body));
}
