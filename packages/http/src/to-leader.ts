// Decides for redirect, proxy and plugin whether a request belongs to another member, and finds the
// address of the leader.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Leader, Role } from '@leadership/core';
import { writeHead } from '@leadership/core/internal';

/** A request over HTTP/1, or over HTTP/2 by Node's compatibility API. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** The response to a {@link HttpRequest}. */
export type HttpResponse = ServerResponse | Http2ServerResponse;

/**
 * A function in the form of Express middleware. It calls `next` if this member leads, and answers
 * the request otherwise. With `node:http`, pass the handler of the request as `next`.
 */
export type Middleware = (
  request: HttpRequest,
  response: HttpResponse,
  next: (error?: unknown) => void,
) => void;

/** Options for {@link redirectToLeader} and {@link proxyToLeader}. */
export interface ToLeaderOptions {
  /**
   * Returns the address of a leader, such as `http://10.0.0.7:8080`, with or without a path.
   * Default: `metadata.url`.
   */
  readonly urlOf?: (leader: Leader) => string | undefined;
  /** The seconds after which a client tries again while no member leads. Default 1. */
  readonly retryAfterSeconds?: number;
}

/** Sends a request to the leader at `base`, which is not this member. */
export type Send = (exchange: Exchange, base: URL) => void;

/** A request on its way to the leader. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly next: (error?: unknown) => void;
  /** Answers with 503: the client shall try again. */
  readonly refuse: (reason: string) => void;
}

/**
 * Returns middleware that lets the leader of `role` handle requests, and passes those of other
 * members to `send`. An orderly hand-over waits for the responses of the leader.
 */
export function toLeader(role: Role, options: ToLeaderOptions, send: Send): Middleware {
  const { urlOf = ({ metadata }) => metadata['url'], retryAfterSeconds = 1 } = options;
  return (request, response, next) => {
    if (handleAsLeader(role, response, next)) return;
    const refuse = (reason: string): void => {
      const retryAfter = { 'retry-after': String(retryAfterSeconds) };
      answerText(response, 503, reason, retryAfter);
    };
    const leader = role.leader();
    // This member may be handing over: it does not lead any more, and no other member leads yet.
    if (leader === undefined || leader.self) return refuse('no leader at the moment');
    const base = addressOf(urlOf(leader));
    if (base === undefined) return refuse(`the leader "${leader.member}" has no HTTP address`);
    send({ request, response, next, refuse }, base);
  };
}

/** Answers with a line of text. */
export function answerText(
  response: HttpResponse,
  status: number,
  text: string,
  headers: OutgoingHttpHeaders = {},
): void {
  writeHead(response, status, { ...headers, 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}

/**
 * Resolves once the response was sent, or its client has left. A stream of HTTP/2 is not closed
 * while a body that nothing reads is still arriving, so its end of sending counts.
 */
function sent(response: HttpResponse): Promise<void> | undefined {
  const isStream = 'stream' in response;
  const isOver = isStream
    ? response.stream.closed || response.stream.destroyed || response.stream.writableFinished
    : response.closed;
  if (isOver) return undefined;
  return new Promise((resolve) => {
    response.once('close', () => resolve());
    if (isStream) response.stream.once('finish', () => resolve());
  });
}

/** Calls `next` within the term of this member. Returns `false` if it does not lead. */
function handleAsLeader(role: Role, response: HttpResponse, next: () => void): boolean {
  let thrown: { readonly error: unknown } | undefined;
  const handled = role.ifLeading(() => {
    try {
      next();
    } catch (error) {
      thrown = { error };
      return undefined;
    }
    return sent(response);
  });
  // The framework, which has called this function, knows what to do.
  if (thrown !== undefined) throw thrown.error;
  return handled !== undefined;
}

function addressOf(text: string | undefined): URL | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}

/**
 * Returns the address of the same resource at the leader. The target of the request decides over
 * path and query only: `//example.org/` must not lead to another host.
 */
export function targetOf(request: HttpRequest, base: URL): string {
  // Express shortens `url` below a mount path.
  const { url = '/', originalUrl = url } = request as HttpRequest & { originalUrl?: string };
  const path = originalUrl.startsWith('/') ? originalUrl : pathOf(originalUrl);
  return `${base.origin}${base.pathname.replace(/\/+$/, '')}${path}`;
}

/** A client of a proxy may send the whole address. */
function pathOf(target: string): string {
  if (!URL.canParse(target)) return '/';
  const { pathname, search } = new URL(target);
  return `${pathname.startsWith('/') ? pathname : '/'}${search}`;
}
