// Maps AWS errors to this library's errors. An error is final if only a person can fix it, and
// `unreachable` if it may pass with time.
import { LeadershipError, type LeadershipErrorCode } from '@leadership/core';

/** The request that failed: error messages name the action and its target. */
export interface Asked {
  /** The action as in an IAM policy: `dynamodb:PutItem`. */
  readonly action: string;
  readonly kind: 'table' | 'stream';
  readonly name: string;
  readonly region: string;
}

interface Meaning {
  readonly code: LeadershipErrorCode;
  /** Says what is wrong and how to fix it. The message names the target before it. */
  readonly advice: (asked: Asked) => string;
}

const denied: Meaning = {
  code: 'unauthorized',
  advice: (asked) =>
    `${asked.action} is denied to this process: allow it with ${policyLine(asked)}${insteadOf(asked)}`,
};
const wrongCredentials: Meaning = {
  code: 'unauthorized',
  advice: ({ region }) =>
    `AWS rejected the credentials: correct them, and check that they are valid in ${region}`,
};
const expired: Meaning = {
  code: 'unauthorized',
  advice: () =>
    'the credentials have expired: renew them, or pass a provider that renews them (the default provider does)',
};
const noCredentials: Meaning = {
  code: 'unauthorized',
  advice: ({ kind }) =>
    `no credentials found: configure them as for any AWS client, or pass them with \`${kind === 'table' ? 'dynamodb' : 'kinesis'}\``,
};
const capacity = {
  table: 'raise its capacity, or use on-demand billing',
  stream:
    'reduce its readers, or use a dedicated stream: Kinesis allows five reads per second and shard',
} as const;
const throttled: Meaning = {
  code: 'unreachable',
  advice: ({ action, kind }) => `throttled at ${action}: retrying; ${capacity[kind]}`,
};
const missing: Meaning = {
  code: 'misconfigured-backend',
  advice: ({ kind, region }) =>
    `the ${kind} does not exist in ${region}: correct its name or the region, or create it`,
};
const sealed: Meaning = {
  code: 'unauthorized',
  advice: ({ action }) =>
    `this process may not use its encryption key for ${action}: allow kms:Decrypt and kms:GenerateDataKey on the key`,
};
const skewed: Meaning = {
  code: 'unreachable',
  advice: () =>
    'the wall clock of this host differs from the AWS clock: retrying with a corrected signature',
};
const nowhere: Meaning = {
  code: 'misconfigured-backend',
  advice: () =>
    'no region is set: pass `region`, or configure it as for any AWS client, for example with AWS_REGION',
};
const refusedInput: Meaning = {
  code: 'misconfigured-backend',
  advice: ({ action, kind }) =>
    `the service rejected the parameters of ${action}: check that the ${kind} is one for this library, and that \`metadata\` is small`,
};
const late: Meaning = {
  code: 'unreachable',
  advice: ({ action }) => `no answer to ${action} in time`,
};

const meanings: ReadonlyMap<string, Meaning> = new Map(
  Object.entries({
    AccessDeniedException: denied,
    AccessDenied: denied,
    UnrecognizedClientException: wrongCredentials,
    InvalidClientTokenId: wrongCredentials,
    InvalidSignatureException: wrongCredentials,
    SignatureDoesNotMatch: wrongCredentials,
    IncompleteSignatureException: wrongCredentials,
    MissingAuthenticationTokenException: noCredentials,
    CredentialsProviderError: noCredentials,
    ExpiredTokenException: expired,
    ExpiredToken: expired,
    ProvisionedThroughputExceededException: throttled,
    ThrottlingException: throttled,
    RequestLimitExceeded: throttled,
    LimitExceededException: throttled,
    KMSThrottlingException: throttled,
    KMSAccessDeniedException: sealed,
    ResourceNotFoundException: missing,
    ValidationException: refusedInput,
    ValidationError: refusedInput,
    SerializationException: refusedInput,
    RequestTimeTooSkewed: skewed,
    AbortError: late,
    TimeoutError: late,
  }),
);

/**
 * Maps an error of the SDK to a `LeadershipError`. Returns an error that is already mapped
 * unchanged.
 */
export function awsError(error: unknown, asked: Asked): LeadershipError {
  if (error instanceof LeadershipError) return error;
  const { code, advice } =
    (isCorrected(error) ? skewed : meanings.get(nameOf(error))) ?? unknown(error);
  const sentence = `${asked.kind} "${asked.name}" in ${asked.region}: ${advice(asked)}${saidBy(error, advice(asked))}`;
  return new LeadershipError(code, sentence, { cause: error });
}

/** Returns the message of the service, which names the principal, the policy and the resource. */
function saidBy(error: unknown, advice: string): string {
  const { name, message } = error instanceof Error ? error : { name: '', message: '' };
  const isKnown =
    message === '' || message === name || name === 'SyntaxError' || advice.includes(message);
  return isKnown ? '' : `. The service says: ${message}`;
}

/**
 * Returns the AWS name of an error. `instanceof` fails when the application has two copies of the
 * SDK.
 */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** Whether AWS throttled the request. A throttled request certainly took no effect. */
export function isThrottled(error: unknown): boolean {
  return meanings.get(nameOf(error)) === throttled;
}

/** Whether the target of the request does not exist. */
export function isMissing(error: unknown): boolean {
  return meanings.get(nameOf(error)) === missing;
}

/** Whether waiting cannot resolve the error. */
export function isFinal({ code }: LeadershipError): boolean {
  return code === 'unauthorized' || code === 'misconfigured-backend';
}

/** Whether a shard iterator is no longer valid: it expired, or it belongs to another stream. */
export function isPositionLost(error: unknown): boolean {
  return ['ExpiredIteratorException', 'InvalidArgumentException'].includes(nameOf(error));
}

/** Converts a thrown value to a `LeadershipError`. */
export function toError(thrown: unknown): LeadershipError {
  return thrown instanceof LeadershipError
    ? thrown
    : new LeadershipError('unreachable', String(thrown), { cause: thrown });
}

/** A global table is a resource of no region. */
const globalTableAction = 'dynamodb:DescribeGlobalTable';

/** Returns the IAM policy statement that allows the request. */
function policyLine({ action, kind, name, region }: Asked): string {
  const service = action.split(':')[0] ?? '';
  const plainName = name.replace(/^arn:.*\//, '');
  const own = name.startsWith('arn:') ? name : `arn:aws:${service}:${region}:*:${kind}/${name}`;
  const resource =
    action === globalTableAction ? `arn:aws:${service}::*:global-table/${plainName}` : own;
  return JSON.stringify({ Effect: 'Allow', Action: action, Resource: resource });
}

/**
 * Names the remedies other than a permission: the request is sent only because of the table's
 * stream.
 */
function insteadOf({ action }: Asked): string {
  if (action !== globalTableAction) return '';
  return ', or set homeRegion to the one region that all members use, or disable the stream of the table: only a table with a stream of new and old images can be a replica of a global table of version 2017.11.29';
}

function unknown(error: unknown): Meaning {
  // The SDK reports this case only by the message.
  if (error instanceof Error && error.message === 'Region is missing') return nowhere;
  const { code, hostname } = (error ?? {}) as {
    readonly code?: unknown;
    readonly hostname?: unknown;
  };
  if (code === 'ENOTFOUND')
    return {
      code: 'unreachable',
      advice: ({ action, region }) =>
        `${action} failed: host ${hostname} does not exist: correct the region ${region}, or check the DNS of this host`,
    };
  if (error instanceof SyntaxError || nameOf(error) === 'SyntaxError') return noJson(error);
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: 'unreachable', advice: ({ action }) => `${action} failed: ${said}` };
}

/** The response came from a proxy, a load balancer or a gateway: the SDK failed to parse it. */
function noJson(error: unknown): Meaning {
  const { httpStatusCode: status } =
    (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata ?? {};
  const answer =
    status === undefined ? 'a body that is not JSON' : `HTTP ${status} and a body that is not JSON`;
  return {
    code: 'unreachable',
    advice: ({ action }) =>
      `the answer to ${action} was ${answer}, probably from a proxy or a load balancer: retrying`,
  };
}

/**
 * Whether the signature was rejected only because of this host's wall clock. The SDK has now stored
 * the offset.
 */
function isCorrected(error: unknown): boolean {
  const metadata = (
    error as { readonly $metadata?: { readonly clockSkewCorrected?: boolean } } | undefined
  )?.$metadata;
  return metadata?.clockSkewCorrected === true;
}
