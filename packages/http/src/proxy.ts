import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline } from 'node:stream';
import type { Role } from '@leadership/core';
import {
  type Exchange,
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

/**
 * Marks a request that another member has sent here. If this member does not lead either, it
 * refuses the request: two members that take each other for the leader must not send it to and fro.
 */
const forwarded = 'leadership-forwarded';

/** Headers that concern one connection only, by RFC 9110, section 7.6.1. */
const ofConnection = [
  'connection',
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
 * does not answer, and 504 if it is silent. A request is sent at most once. Mount it before parsers of bodies. WebSockets are not
 * passed on.
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

function forward({ request, response, refuse }: Exchange, base: URL, timeoutMs: number): void {
  const { request: open } = base.protocol === 'https:' ? https : http;
  const upstream = open(targetOf(request, base), {
    method: request.method,
    headers: requestHeaders(request),
    timeout: timeoutMs,
  });
  let isSilent = false;
  upstream.on('timeout', () => {
    isSilent = true;
    upstream.destroy(new Error(`silent for ${timeoutMs} ms`));
  });
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    // The client sees an answer that is not complete.
    if (response.headersSent) return void response.destroy();
    const reason = `the leader did not answer: ${error.code ?? error.message}`;
    // The request was not sent: the client may repeat it.
    if (error.syscall === 'connect' || error.syscall === 'getaddrinfo') return refuse(reason);
    response.writeHead(isSilent ? 504 : 502, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(`${reason}\n`);
  });
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, withoutConnection(answer));
    // An error on either side ends both. The client then sees an answer that is not complete.
    pipeline(answer, response, () => undefined);
  });
  response.once('close', () => upstream.destroy());
  // Errors are reported above. Of a server's request, this does not end the connection.
  pipeline(request, upstream, () => undefined);
}

function requestHeaders(request: http.IncomingMessage): http.OutgoingHttpHeaders {
  const { host, 'x-forwarded-for': earlier, ...headers } = withoutConnection(request);
  const chunks = request.headers['transfer-encoding'];
  const { remoteAddress, encrypted } = request.socket as typeof request.socket & {
    readonly encrypted?: boolean;
  };
  return {
    // HTTP/1.0 needs no host.
    ...(host !== undefined && { 'x-forwarded-host': host }),
    'x-forwarded-proto': encrypted ? 'https' : 'http',
    ...headers,
    'x-forwarded-for': [earlier, remoteAddress].filter(Boolean).join(', '),
    [forwarded]: '1',
    // Node would send a body without a length and without chunks for some methods.
    ...(chunks !== undefined && { 'transfer-encoding': 'chunked' }),
  };
}

/** Returns the headers without those of the connection, and without those that it may name. */
function withoutConnection({ headers }: http.IncomingMessage): http.OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...ofConnection, ...named.filter((name) => !ofMessage.includes(name))]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}
