// The proxy with which tests throttle, delay, lose and cut the requests to an AWS service.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AwsFault,
  affects,
  errorBody,
  type FaultScope,
  type ProxiedRequest,
} from './fault.ts';
import { readLimit } from './read-limit.ts';

/**
 * A proxy in front of an AWS service that can inject faults. Disposing closes every connection and
 * frees the port.
 */
export interface AwsProxy extends AsyncDisposable {
  /**
   * Returns a separate endpoint under this name. Requests are counted per line, and faults can be
   * limited to one line. The proxy does not preserve signatures, so it works with emulators only.
   */
  line(name: string): string;
  /** Returns the number of requests by operation, of one line or of all. */
  counts(line?: string): ReadonlyMap<string, number>;
  /**
   * Injects a fault into all requests within the scope, until disposed. If several faults match,
   * the oldest one applies.
   */
  inject(fault: AwsFault, scope?: FaultScope): Disposable;
}

interface Injected {
  readonly fault: AwsFault;
  readonly scope: FaultScope;
}

/** A request that the proxy has received completely. */
interface Passing extends ProxiedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly body: string;
}

const throttled = {
  kind: 'error',
  code: 'ProvisionedThroughputExceededException',
  message: 'Rate exceeded for shard',
} as const;

/**
 * Opens a proxy to the endpoint of a service, on a free port of 127.0.0.1. It limits GetRecords to
 * five a second per shard, as Kinesis does.
 */
export async function awsProxy({ target }: { readonly target: string }): Promise<AwsProxy> {
  const injected = new Set<Injected>();
  const counts = new Map<string, Map<string, number>>();
  const limit = readLimit();
  const forward = async (passing: Passing): Promise<Answer> => {
    const answer = await ask(target, passing);
    if (answer.status === 200) limit.answered(passing.operation, passing.body, answer.body);
    return answer;
  };
  const faultOf = (passing: Passing): AwsFault | undefined => {
    for (const { fault, scope } of injected) if (affects(scope, passing)) return fault;
    return passing.operation === 'GetRecords' && limit.refuses(passing.body, performance.now())
      ? throttled
      : undefined;
  };
  const server = createServer((request, response) => {
    const serve = async (): Promise<void> => {
      const passing = await received(request, response);
      count(counts, passing);
      await pass(passing, faultOf(passing), forward);
    };
    // The client or the service has disconnected. The client sees a broken connection in both
    // cases.
    serve().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    line: (name) => `http://127.0.0.1:${port}/${encodeURIComponent(name)}`,
    counts: (line) =>
      totals(line === undefined ? [...counts.values()] : [counts.get(line) ?? new Map()]),
    inject(fault, scope = {}) {
      const one = { fault, scope };
      injected.add(one);
      return { [Symbol.dispose]: () => void injected.delete(one) };
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function received(request: IncomingMessage, response: ServerResponse): Promise<Passing> {
  const [, line = '', ...rest] = (request.url ?? '').split('/');
  const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    request,
    response,
    line: decodeURIComponent(line),
    operation,
    path: `/${rest.join('/')}`,
    body: Buffer.concat(chunks).toString(),
  };
}

async function pass(
  passing: Passing,
  fault: AwsFault | undefined,
  forward: (passing: Passing) => Promise<Answer>,
): Promise<void> {
  const { response } = passing;
  switch (fault?.kind) {
    case undefined:
      return send(response, await forward(passing));
    case 'cut':
      return void response.destroy();
    case 'swallow':
      return;
    case 'lose-reply':
      await forward(passing);
      return void response.destroy();
    case 'delay-request':
      await pause(fault.ms);
      return send(response, await forward(passing));
    case 'delay-reply': {
      const answer = await forward(passing);
      await pause(fault.ms);
      return send(response, answer);
    }
    case 'error':
      return send(response, {
        status: 400,
        type: 'application/x-amz-json-1.0',
        body: errorBody(fault),
      });
  }
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Headers that apply to one connection only, or to the original encoding of the body. */
const dropped: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'content-length',
  'transfer-encoding',
  'expect',
]);

async function ask(target: string, { request, path, body }: Passing): Promise<Answer> {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined || dropped.has(name) ? [] : [[name, String(value)] as [string, string]],
  );
  const answer = await fetch(new URL(path, target), {
    method: request.method ?? 'POST',
    headers,
    body,
  });
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    body: await answer.text(),
  };
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}

function count(counts: Map<string, Map<string, number>>, { line, operation }: Passing): void {
  const own = counts.get(line) ?? new Map<string, number>();
  counts.set(line, own.set(operation, (own.get(operation) ?? 0) + 1));
}

function totals(counts: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const own of counts)
    for (const [operation, number] of own) sum.set(operation, (sum.get(operation) ?? 0) + number);
  return sum;
}
