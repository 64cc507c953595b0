/** What can befall a request. */
export type AwsFault =
  /** The connection is reset before the service hears of it. */
  | { readonly kind: 'cut' }
  /** The service never hears of it, and no answer ever comes. */
  | { readonly kind: 'swallow' }
  /** It takes effect, and the connection is reset instead of an answer. */
  | { readonly kind: 'lose-reply' }
  /** So much longer on its way there. Milliseconds. */
  | { readonly kind: 'delay-request'; readonly ms: number }
  /** It takes effect, and the answer is so much longer on its way. Milliseconds. */
  | { readonly kind: 'delay-reply'; readonly ms: number }
  /** The service answers with this error instead of doing it, as AWS does with status 400: `ProvisionedThroughputExceededException`, … */
  | { readonly kind: 'error'; readonly code: string; readonly message?: string };

/** Which requests a fault befalls. Default: all. */
export interface FaultScope {
  /** Those of one line: see `AwsProxy.line`. */
  readonly line?: string;
  /** Those that ask for one of these: `UpdateItem`, `GetRecords`, … */
  readonly operations?: readonly string[];
  /** This share of them, by chance. Default 1. */
  readonly share?: number;
}

/** A request as the proxy knows it. */
export interface ProxiedRequest {
  readonly line: string;
  readonly operation: string;
}

/** Whether a fault of that scope befalls the request this time. */
export function befalls({ line, operations, share = 1 }: FaultScope, request: ProxiedRequest): boolean {
  return (
    (line === undefined || line === request.line) &&
    (operations === undefined || operations.includes(request.operation)) &&
    (share >= 1 || Math.random() < share)
  );
}

/** The body of an error as AWS's JSON protocols have it. */
export function errorBody({ code, message = code }: AwsFault & { readonly kind: 'error' }): string {
  return JSON.stringify({ __type: `com.amazonaws#${code}`, message });
}
