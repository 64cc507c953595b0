// Middleware that passes requests on to the leader.
import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline, type Writable } from 'node:stream';
import type { Role } from '@leadership/core';
import { writeHead } from '@leadership/core/internal';
import {
  answerText,
  type Exchange,
  type HttpRequest,
  type HttpResponse,
  type Middleware,
  type ToLeaderOptions,
  targetOf,
  toLeader,
} from './to-leader.ts';

/** Options for {@link proxyToLeader}. */
export interface ProxyOptions extends ToLeaderOptions {
  /** How long the leader may be silent before the client receives 504. Milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

// `node:http` and no library: http-proxy-3 and undici 8 need Node 22, and @fastify/http-proxy works in
// Fastify only.

/**
 * Marks a request that another member has sent here. If this member does not lead either, it
 * refuses the request: two members that take each other for the leader must not send it to and fro.
 */
const forwarded = 'leadership-forwarded';

/** The code of HTTP/2 that resets a stream because of an error of the server. */
const internalError = 2;

/** Headers that concern one connection only, by RFC 9110, section 7.6.1. */
const ofConnection = [
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Headers that pass on although `Connection` names them, which RFC 9110 forbids to a client. Without
 * its length, a body would reach the leader as a second request; the others state whom the client
 * addressed and where it is.
 */
const ofMessage = [
  'content-length',
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
];

/**
 * Returns middleware that sends requests to the leader of `role` and passes its answers on, unless
 * this member leads. A client receives 503 while no leader is known or reached, 502 if the leader
 * does not answer, and 504 if it is silent. A request is sent at most once, over HTTP/1, also if it has
 * arrived over HTTP/2. Mount it before parsers of bodies. WebSockets are not passed on.
 *
 * The address of a leader is its `metadata.url`, as for `redirectToLeader`.
 */
export function proxyToLeader(role: Role, options: ProxyOptions = {}): Middleware {
  const { timeoutMs = 30_000 } = options;
  return toLeader(role, options, (exchange, base) => {
    const { request, next, refuse } = exchange;
    if (request.headers[forwarded] !== undefined)
      return refuse('the leader has changed: this member does not lead any more');
    if (request.readableDidRead)
      return next(
        new Error('the body of the request was read: mount proxyToLeader before parsers'),
      );
    forward(exchange, base, timeoutMs);
  });
}

function forward(exchange: Exchange, base: URL, timeoutMs: number): void {
  const { request, response } = exchange;
  const upstream = opened(exchange, base, timeoutMs);
  if (upstream === undefined) return;
  let isSilent = false;
  upstream.on('timeout', () => {
    isSilent = true;
    upstream.destroy(new Error(`silent for ${timeoutMs} ms`));
  });
  upstream.on('error', (error: NodeJS.ErrnoException) => fail(exchange, error, isSilent));
  upstream.on('response', (answer) => {
    const wrong = sendHead(response, answer);
    if (wrong !== undefined) {
      upstream.destroy();
      return fail(exchange, wrong, false);
    }
    // An error on either side ends both. The client then sees an answer that is not complete.
    pipeline(answer, response as Writable, () => undefined);
  });
  response.once('close', () => upstream.destroy());
  endUploadWith(response);
  // Errors are reported above. Of a server's request, this does not end the connection.
  pipeline(request, upstream, () => undefined);
}

/** Sends the head of the leader's answer. Returns why it cannot be passed on. */
function sendHead(response: HttpResponse, answer: http.IncomingMessage): Error | undefined {
  const { statusCode = 0 } = answer;
  if (statusCode < 200 || statusCode > 599) return new Error(`its status is ${statusCode}`);
  const headers = answerHeaders(answer);
  try {
    writeHead(response, statusCode, headers);
    return undefined;
  } catch (error) {
    for (const name of Object.keys(headers)) response.removeHeader(name);
    return error as Error;
  }
}

/**
 * Resets a stream of HTTP/2 once its response is complete, and drops what it has received. Otherwise
 * a client that is still sending a body, which is not read any more, would wait for ever.
 */
function endUploadWith(response: HttpResponse): void {
  if (!('stream' in response)) return;
  const { stream } = response;
  stream.once('finish', () => setImmediate(() => stream.destroy()));
}

/** Opens the request to the leader. Refuses what cannot be sent, and then returns `undefined`. */
function opened(
  { request, response }: Exchange,
  base: URL,
  timeoutMs: number,
): http.ClientRequest | undefined {
  const { request: open } = base.protocol === 'https:' ? https : http;
  try {
    return open(targetOf(request, base), {
      method: request.method,
      headers: requestHeaders(request),
      timeout: timeoutMs,
    });
  } catch (error) {
    // A name or value that was valid in the protocol of the client need not be valid in HTTP/1.
    answerText(response, 502, `the request cannot be passed on: ${(error as Error).message}`);
    return undefined;
  }
}

/** Answers a client whose request was not answered. */
function fail(
  { response, refuse }: Exchange,
  error: NodeJS.ErrnoException,
  isSilent: boolean,
): void {
  if (response.headersSent) return cut(response);
  const reason = `the leader did not answer: ${error.code ?? error.message}`;
  // The request was not sent: the client may repeat it.
  if (error.syscall === 'connect' || error.syscall === 'getaddrinfo') return refuse(reason);
  answerText(response, isSilent ? 504 : 502, reason);
}

/** Ends a response so that the client sees that it is not complete. */
function cut(response: HttpResponse): void {
  if ('stream' in response) response.stream.close(internalError);
  else response.destroy();
}

function requestHeaders(request: HttpRequest): http.OutgoingHttpHeaders {
  const { host, 'x-forwarded-for': earlier, ...headers } = withoutConnection(request.headers);
  const { remoteAddress, encrypted } = request.socket as typeof request.socket & {
    readonly encrypted?: boolean;
  };
  const authority = request.headers[':authority'] ?? host;
  return {
    // HTTP/1.0 needs no host.
    ...(authority !== undefined && { 'x-forwarded-host': authority }),
    'x-forwarded-proto': encrypted ? 'https' : 'http',
    ...headers,
    'x-forwarded-for': [earlier, remoteAddress].filter(Boolean).join(', '),
    [forwarded]: '1',
    // Node would send a body without a length and without chunks for some methods. The leader would
    // read it as another request.
    ...(isChunked(request) && { 'transfer-encoding': 'chunked' }),
  };
}

/** Returns whether the request has a body, but states no length. */
function isChunked(request: HttpRequest): boolean {
  if (!('stream' in request)) return request.headers['transfer-encoding'] !== undefined;
  return request.headers['content-length'] === undefined && !request.stream.endAfterHeaders;
}

/** Returns the headers of an answer, in a form that any protocol may pass on. */
function answerHeaders({ headers }: http.IncomingMessage): http.OutgoingHttpHeaders {
  // A host is no header of an answer, and HTTP/2 refuses it.
  const { host: _, ...rest } = withoutConnection(headers);
  return rest;
}

/**
 * Returns the headers without those of the connection, without those that it may name, and without
 * the pseudo-headers of HTTP/2, which the request line of HTTP/1 contains.
 */
function withoutConnection(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...ofConnection, ...named.filter((name) => !ofMessage.includes(name))]);
  const isPassed = (name: string): boolean => !name.startsWith(':') && !dropped.has(name);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isPassed(name)));
}
