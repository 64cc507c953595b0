// What AWS says, mapped once. Final where only a person can mend it; `unreachable` where time can.
import { LeadershipError, type LeadershipErrorCode } from '@leadership/core';

/** What was asked, of what: a sentence about a failure names both. */
export interface Asked {
  /** As a policy names it: `dynamodb:PutItem`. */
  readonly action: string;
  readonly kind: 'table' | 'stream';
  readonly name: string;
  readonly region: string;
}

interface Meaning {
  readonly code: LeadershipErrorCode;
  /** What is wrong and what to do; what was asked stands in front. */
  readonly advice: (asked: Asked) => string;
}

const denied: Meaning = {
  code: 'unauthorized',
  advice: (asked) => `${asked.action} is denied to this process: allow it with ${policyLine(asked)}`,
};
const wrongCredentials: Meaning = {
  code: 'unauthorized',
  advice: ({ region }) => `AWS does not accept the credentials: correct them, and see that they are meant for ${region}`,
};
const expired: Meaning = {
  code: 'unauthorized',
  advice: () => 'the credentials have expired: renew them, or pass a provider that does (the default one renews what it finds)',
};
const noCredentials: Meaning = {
  code: 'unauthorized',
  advice: ({ kind }) =>
    `there are no credentials: set them up as for any AWS client, or pass them with \`${kind === 'table' ? 'dynamodb' : 'kinesis'}\``,
};
const capacity = {
  table: 'give it more capacity, or bill it on demand',
  stream: 'let fewer read it, or use a stream of its own: Kinesis allows five readings a second for each shard',
} as const;
const throttled: Meaning = {
  code: 'unreachable',
  advice: ({ action, kind }) => `throttled at ${action}: it is tried again; ${capacity[kind]}`,
};
const missing: Meaning = {
  code: 'misconfigured-backend',
  advice: ({ kind, region }) => `there is no such ${kind} in ${region}: correct its name or the region, or make it`,
};
const sealed: Meaning = {
  code: 'unauthorized',
  advice: ({ action }) =>
    `it is encrypted with a key that is denied to this process at ${action}: allow kms:Decrypt and kms:GenerateDataKey on the key`,
};
const skewed: Meaning = {
  code: 'unreachable',
  advice: () => 'this host’s wall clock differs from AWS’: the signature is corrected, and tried again',
};
const nowhere: Meaning = {
  code: 'misconfigured-backend',
  advice: () => 'no region is given: name it with `region`, or as for any AWS client, as with AWS_REGION',
};
const refusedInput: Meaning = {
  code: 'misconfigured-backend',
  advice: ({ action, kind }) =>
    `the service does not accept ${action}: see that the ${kind} is one for this library, and that \`metadata\` is small`,
};
const late: Meaning = { code: 'unreachable', advice: ({ action }) => `no answer to ${action} in time` };

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

/** `error` as this library speaks of it. An error that is mapped already passes. */
export function awsError(error: unknown, asked: Asked): LeadershipError {
  if (error instanceof LeadershipError) return error;
  const { code, advice } = (isCorrected(error) ? skewed : meanings.get(nameOf(error))) ?? unknown(error);
  const sentence = `${asked.kind} "${asked.name}" in ${asked.region}: ${advice(asked)}${saidBy(error, advice(asked))}`;
  return new LeadershipError(code, sentence, { cause: error });
}

/** The service's own sentence, which knows the principal, the policy and the resource. */
function saidBy(error: unknown, advice: string): string {
  const { name, message } = error instanceof Error ? error : { name: '', message: '' };
  const isKnown = message === '' || message === name || name === 'SyntaxError' || advice.includes(message);
  return isKnown ? '' : `. The service says: ${message}`;
}

/** The name that AWS gave an error. Classes say nothing: an application may have two copies of the SDK. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** Whether AWS refused because there was too much: it surely took no effect. */
export function isThrottled(error: unknown): boolean {
  return meanings.get(nameOf(error)) === throttled;
}

/** Whether that is gone, or was never there. */
export function isMissing(error: unknown): boolean {
  return meanings.get(nameOf(error)) === missing;
}

/** Whether no waiting mends it. */
export function isFinal({ code }: LeadershipError): boolean {
  return code === 'unauthorized' || code === 'misconfigured-backend';
}

/** Whether a position in a shard is of no use any more: it was kept too long, or is another stream's. */
export function isPositionLost(error: unknown): boolean {
  return ['ExpiredIteratorException', 'InvalidArgumentException'].includes(nameOf(error));
}

/** Whatever was thrown, as an error of this library's. */
export function toError(thrown: unknown): LeadershipError {
  return thrown instanceof LeadershipError ? thrown : new LeadershipError('unreachable', String(thrown), { cause: thrown });
}

/** The statement of a policy that allows what was asked. */
function policyLine({ action, kind, name, region }: Asked): string {
  const service = action.split(':')[0] ?? '';
  const resource = name.startsWith('arn:') ? name : `arn:aws:${service}:${region}:*:${kind}/${name}`;
  return JSON.stringify({ Effect: 'Allow', Action: action, Resource: resource });
}

function unknown(error: unknown): Meaning {
  // All that the SDK says of it.
  if (error instanceof Error && error.message === 'Region is missing') return nowhere;
  const { code, hostname } = (error ?? {}) as { readonly code?: unknown; readonly hostname?: unknown };
  if (code === 'ENOTFOUND')
    return {
      code: 'unreachable',
      advice: ({ action, region }) =>
        `${action} failed: there is no host ${hostname}: correct the region, if ${region} is none, or let this host look up names`,
    };
  if (error instanceof SyntaxError || nameOf(error) === 'SyntaxError') return noJson(error);
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: 'unreachable', advice: ({ action }) => `${action} failed: ${said}` };
}

/** What answered was a proxy, a load balancer or a gateway: the SDK fails to parse its page. */
function noJson(error: unknown): Meaning {
  const { httpStatusCode: status } = (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata ?? {};
  const answer = status === undefined ? 'something else than JSON' : `HTTP ${status} and something else than JSON`;
  return {
    code: 'unreachable',
    advice: ({ action }) => `${action} was answered with ${answer}, as by a proxy or a load balancer in between: it is tried again`,
  };
}

/** A signature that was wrong only because of this host's wall clock: the client has taken note of AWS' time. */
function isCorrected(error: unknown): boolean {
  const metadata = (error as { readonly $metadata?: { readonly clockSkewCorrected?: boolean } } | undefined)?.$metadata;
  return metadata?.clockSkewCorrected === true;
}
