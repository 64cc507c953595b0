// Converts the errors of @platformatic/kafka to those that the rest of the adapter uses, by the
// protocol's names.

import { LeadershipError } from '@leadership/core';
import { allCausesOf } from '../causes.ts';

/** An error that a broker answered with. */
export class BrokerError extends Error {
  override readonly name = 'BrokerError';
  /** The protocol's name of the error. */
  readonly type: string;
  /** The option that configures the login. */
  readonly loginOption = 'the sasl option of platformatic()';

  constructor(type: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.type = type;
  }
}

/** The names that KafkaJS and this adapter use from earlier releases of the protocol. */
const earlierNames: Readonly<Record<string, string>> = {
  NOT_LEADER_OR_FOLLOWER: 'NOT_LEADER_FOR_PARTITION',
  COORDINATOR_LOAD_IN_PROGRESS: 'GROUP_LOAD_IN_PROGRESS',
  COORDINATOR_NOT_AVAILABLE: 'GROUP_COORDINATOR_NOT_AVAILABLE',
  NOT_COORDINATOR: 'NOT_COORDINATOR_FOR_GROUP',
};

/** Returns the error of that number. `names`: the library's names by number. */
export function errorOfCode(
  code: number,
  names: Readonly<Record<number, string>>,
  options?: ErrorOptions,
): BrokerError {
  const name = names[code];
  if (name === undefined)
    return new BrokerError(
      'UNKNOWN_ERROR_CODE',
      `the broker answered with error code ${code}, which is not known`,
      options,
    );
  return new BrokerError(earlierNames[name] ?? name, `the broker answered ${name}`, options);
}

/**
 * Returns the error as the adapter uses it. If the library has wrapped an error of this adapter, that
 * one; if a broker answered, an error with the protocol's name; otherwise the same error.
 */
export function brokerErrorOf(error: unknown): unknown {
  const chain = causesIn(error);
  const own = chain.find(
    (cause) => cause instanceof LeadershipError || cause instanceof BrokerError,
  );
  if (own !== undefined) return own;
  const answer = chain.find(({ apiId }) => typeof apiId === 'string');
  if (answer !== undefined) {
    const name = String(answer['apiId']);
    return new BrokerError(earlierNames[name] ?? name, String(answer['message']), { cause: error });
  }
  if (chain.some(({ code }) => code === 'PLT_KFK_UNSUPPORTED_COMPRESSION')) {
    return new BrokerError(
      'UNSUPPORTED_COMPRESSION_TYPE',
      'a record is compressed in a way that cannot be read',
      { cause: error },
    );
  }
  return error;
}

/**
 * Returns what {@link brokerErrorOf} does, for the error of a request. The library looks up error codes in a table, and throws a
 * `TypeError` for one that is not in it.
 */
export function answerErrorOf(error: unknown): unknown {
  if (!(error instanceof TypeError)) return brokerErrorOf(error);
  return new BrokerError(
    'UNKNOWN_ERROR_CODE',
    'the broker answered with an error code that @platformatic/kafka does not know',
    {
      cause: error,
    },
  );
}

/** Returns the member id in a refused join, if there is one. */
export function memberIdIn(error: unknown): string | undefined {
  for (const { memberId } of causesIn(error))
    if (typeof memberId === 'string' && memberId !== '') return memberId;
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the error and its causes, as objects whose fields can be read. */
function causesIn(error: unknown): readonly Fields[] {
  return allCausesOf(error).filter(
    (cause): cause is Fields => typeof cause === 'object' && cause !== null,
  );
}
