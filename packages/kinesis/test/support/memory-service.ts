// AWS services in this process, used with the SDK's own clients, so that the SDK builds each
// request and parses each response.
import type { AwsFault, FaultScope } from '@leadership/tools/aws';

/** The faults that can be injected. `page` is not available with the proxy of the emulators. */
type MemoryFault =
  | AwsFault
  | { readonly kind: 'page'; readonly status: number; readonly body: string };

/** Computes the response body of a service. Throws a {@link ServiceError} for an error response. */
export type Serve = (operation: string, input: Readonly<Record<string, never>>) => object;

/** An error response of a service. */
export class ServiceError extends Error {
  readonly body: object;
  constructor(code: string, more: object = {}) {
    super(code);
    this.body = { __type: `com.amazonaws#${code}`, message: code, ...more };
  }
}

/** A request that was received. */
interface Asked {
  readonly line: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A service in memory. */
export interface MemoryService {
  readonly asked: readonly Asked[];
  /** Returns a request handler for the SDK. Each line has its own. */
  handler(line: string): never;
  counts(line?: string): ReadonlyMap<string, number>;
  inject(fault: MemoryFault, scope?: FaultScope): Disposable;
}

interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export function memoryService(serve: Serve): MemoryService {
  const asked: Asked[] = [];
  const faults = new Set<{ readonly fault: MemoryFault; readonly scope: FaultScope }>();
  const faultOf = ({ line, operation }: Asked): MemoryFault | undefined => {
    for (const { fault, scope } of faults) {
      const isMeant =
        (scope.line ?? line) === line && (scope.operations ?? [operation]).includes(operation);
      if (isMeant && Math.random() < (scope.share ?? 1)) return fault;
    }
    return undefined;
  };
  const handle = async (
    line: string,
    request: Request,
    abortSignal: AbortSignal | undefined,
  ): Promise<object> => {
    const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '');
    const input = JSON.parse(Buffer.from(request.body as string).toString()) as Readonly<
      Record<string, never>
    >;
    const one = { line, operation, input };
    asked.push(one);
    return withFault(faultOf(one), () => answerOf(serve, operation, input), abortSignal);
  };
  return {
    asked,
    handler: (line) =>
      ({
        handle: async (request: Request, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
          // Yield to other work, as with a real network.
          await new Promise((resolve) => setImmediate(resolve));
          abortSignal?.throwIfAborted();
          return { response: await handle(line, request, abortSignal) };
        },
        destroy: () => undefined,
      }) as never,
    counts(line) {
      const counts = new Map<string, number>();
      for (const one of asked)
        if ((line ?? one.line) === one.line)
          counts.set(one.operation, (counts.get(one.operation) ?? 0) + 1);
      return counts;
    },
    inject(fault, scope = {}) {
      const one = { fault, scope };
      faults.add(one);
      return { [Symbol.dispose]: () => void faults.delete(one) };
    },
  };
}

function answerOf(serve: Serve, operation: string, input: Readonly<Record<string, never>>): object {
  try {
    return response(200, JSON.stringify(serve(operation, input)));
  } catch (error) {
    if (error instanceof ServiceError) return response(400, JSON.stringify(error.body));
    throw error;
  }
}

function response(statusCode: number, text: string, type = 'application/x-amz-json-1.0'): object {
  return { statusCode, headers: { 'content-type': type }, body: Buffer.from(text) };
}

const reset = (): Error => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function withFault(
  fault: MemoryFault | undefined,
  serve: () => object,
  abortSignal: AbortSignal | undefined,
): Promise<object> {
  switch (fault?.kind) {
    case undefined:
      return serve();
    case 'cut':
      throw reset();
    case 'swallow':
      return new Promise((_, reject) =>
        abortSignal?.addEventListener('abort', () => reject(abortError())),
      );
    case 'lose-reply':
      serve();
      throw reset();
    case 'delay-request':
      await pause(fault.ms);
      return serve();
    case 'delay-reply': {
      const answer = serve();
      await pause(fault.ms);
      return answer;
    }
    case 'error':
      return response(
        400,
        JSON.stringify({
          __type: `com.amazonaws#${fault.code}`,
          message: fault.message ?? fault.code,
        }),
      );
    case 'page':
      return response(fault.status, fault.body, 'text/html');
  }
}

function abortError(): Error {
  return Object.assign(new Error('Request aborted'), { name: 'AbortError' });
}
