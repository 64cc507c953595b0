import type { LeadershipError } from '@leadership/core';
import { type StoreProxy, storeProxy } from '@leadership/testkit/faults';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { MemberWay } from './member-way.ts';

type Request = Parameters<NodeHttpHandler['handle']>[0];
type Options = Parameters<NodeHttpHandler['handle']>[1];
type Answer = Awaited<ReturnType<NodeHttpHandler['handle']>>;

/**
 * The HTTP handler of one member's clients. It injects faults between the SDK and the network, so
 * that the SDK and the adapter process them like faults of a real service.
 */
export class MemberHandler extends NodeHttpHandler {
  readonly #agent: MemberWay;
  readonly way: StoreProxy = storeProxy();

  constructor() {
    const httpAgent = new MemberWay();
    super({ httpAgent });
    this.#agent = httpAgent;
  }

  /** Resets all connections, and fails new ones at once, until disposed. */
  cut(): Disposable {
    return this.#agent.cut();
  }

  override async handle(request: Request, options?: Options): Promise<Answer> {
    const answered = isWrite(request)
      ? // A write that takes effect late does so although the member has aborted it.
        this.way.write(() => super.handle(request, isAborted(options) ? {} : options))
      : this.way.read(nameOf(request), async () => whole(await super.handle(request, options)));
    return Promise.race([answered, aborted(options)]).catch(asService);
  }
}

/**
 * Returns whether the request changes the store: every operation of the adapter with such a name
 * does.
 */
function isWrite({ headers }: Request): boolean {
  return /\.(Put|Update|Delete|Create|Transact)/.test(headers['x-amz-target'] ?? '');
}

/** Requests of one operation with one body have one answer. */
function nameOf({ headers, body }: Request): string {
  return `${headers['x-amz-target']} ${typeof body === 'string' ? body : Buffer.from(body ?? []).toString('latin1')}`;
}

function isAborted(options: Options): boolean {
  return options?.abortSignal?.aborted === true;
}

/** Rejects as the SDK's handler does when the member gives the request up. */
function aborted(options: Options): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void =>
      reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }));
    const signal = options?.abortSignal;
    if (signal instanceof AbortSignal) signal.addEventListener('abort', abort, { once: true });
  });
}

/** Reads the whole body, so that a stale read can return it again. */
async function whole({ response }: Answer): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { response: Object.assign(response, { body: Buffer.concat(chunks) }) };
}

/** Converts the fault into what a client of the real service would see. */
function asService(error: LeadershipError): Answer {
  if (error.code === 'unauthorized') return { response: expiredToken as Answer['response'] };
  if (error.code !== 'unreachable') throw error;
  throw Object.assign(new Error('socket hang up', { cause: error }), { code: 'ECONNRESET' });
}

/** The answer of AWS to a request with expired credentials. */
const expiredToken = {
  statusCode: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from(
    '{"__type":"com.amazonaws#ExpiredTokenException","message":"The security token included in the request is expired"}',
  ),
};
