// The faults that tests inject into requests to AWS, and which requests each affects.

/** A fault of a request. */
export type AwsFault =
  /** The connection is reset before the service receives the request. */
  | { readonly kind: 'cut' }
  /** The service never receives the request, and the client never receives a response. */
  | { readonly kind: 'swallow' }
  /** The service executes the request, but the connection is reset instead of a response. */
  | { readonly kind: 'lose-reply' }
  /** The request reaches the service `ms` milliseconds late. */
  | { readonly kind: 'delay-request'; readonly ms: number }
  /** The service executes the request, but the response is `ms` milliseconds late. */
  | { readonly kind: 'delay-reply'; readonly ms: number }
  /**
   * The request is not executed and fails with this error and status 400, for example
   * `ProvisionedThroughputExceededException`.
   */
  | { readonly kind: 'error'; readonly code: string; readonly message?: string };

/** The requests that a fault affects. Default: all. */
export interface FaultScope {
  /** Only requests of this line; see `AwsProxy.line`. */
  readonly line?: string;
  /** Only these operations, for example `UpdateItem`. */
  readonly operations?: readonly string[];
  /** The probability with which a request is affected, from 0 to 1. Default 1. */
  readonly share?: number;
}

/** The properties of a request by which a scope selects it. */
export interface ProxiedRequest {
  readonly line: string;
  readonly operation: string;
}

/** Returns whether a fault with this scope affects the request. Random if `share` is below 1. */
export function affects(
  { line, operations, share = 1 }: FaultScope,
  request: ProxiedRequest,
): boolean {
  return (
    (line === undefined || line === request.line) &&
    (operations === undefined || operations.includes(request.operation)) &&
    (share >= 1 || Math.random() < share)
  );
}

/** Returns the body of an error in the format of AWS's JSON protocols. */
export function errorBody({ code, message = code }: AwsFault & { readonly kind: 'error' }): string {
  return JSON.stringify({ __type: `com.amazonaws#${code}`, message });
}
