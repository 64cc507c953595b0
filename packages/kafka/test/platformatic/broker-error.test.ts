import * as library from '@platformatic/kafka';
import { describe, expect, it } from 'vitest';
import { hasErrorType, kafkaError } from '../../src/errors.ts';
import {
  answerErrorOf,
  brokerErrorOf,
  errorOfCode,
  memberIdIn,
} from '../../src/platformatic/broker-error.ts';

/** Returns the library's error for a refused join. */
function answered(code: number, memberId = ''): unknown {
  const answer = library.Writer.create()
    .appendInt32(0)
    .appendInt16(code)
    .appendInt32(-1)
    .appendString(null)
    .appendString(null)
    .appendString('')
    .appendBoolean(false)
    .appendString(memberId)
    .appendArray([], () => undefined)
    .appendTaggedFields();
  try {
    return library.joinGroupV9.parseResponse(1, 11, 9, library.Reader.from(answer.buffer));
  } catch (error) {
    return error;
  }
}

describe("a broker's error through the second client", () => {
  it.each([
    [3, 'UNKNOWN_TOPIC_OR_PARTITION'],
    [6, 'NOT_LEADER_FOR_PARTITION'],
    [14, 'GROUP_LOAD_IN_PROGRESS'],
    [15, 'GROUP_COORDINATOR_NOT_AVAILABLE'],
    [16, 'NOT_COORDINATOR_FOR_GROUP'],
    [30, 'GROUP_AUTHORIZATION_FAILED'],
  ])('has the name that the adapter knows: %i is %s', (code, name) => {
    expect(hasErrorType(brokerErrorOf(answered(code)), name)).toBe(true);
    expect(errorOfCode(code, library.protocolErrorsCodesById).type).toBe(name);
  });

  it('has a name where the code is newer than the library, which fails with a TypeError of its own', () => {
    expect(answered(9_999)).toBeInstanceOf(TypeError);
    expect(kafkaError(answerErrorOf(answered(9_999)), 'topic t')).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/^topic t: .*error code that the client does not know/),
    });
    expect(errorOfCode(9_999, library.protocolErrorsCodesById)).toMatchObject({
      type: 'UNKNOWN_ERROR_CODE',
      message: expect.stringContaining('9999'),
    });
  });

  it('names the option of this client where the login is refused', () => {
    const refused = new library.AuthenticationError('SASL authentication failed.', {
      cause: answered(58) as Error,
    });
    const failed = new library.NetworkError('Connection to h:1 failed.', { cause: refused });
    expect(kafkaError(brokerErrorOf(failed), 'topic t')).toMatchObject({
      code: 'unauthorized',
      message:
        'topic t: the brokers refuse this login: correct user, password and mechanism in the sasl option of platformatic()',
    });
  });

  it('is not a refused login if the connection ended during it', () => {
    const lost = new library.AuthenticationError('Cannot find a suitable SASL mechanism.', {
      cause: new library.NetworkError('Connection closed'),
    });
    expect(kafkaError(brokerErrorOf(lost), 'topic t')).toMatchObject({ code: 'unreachable' });
  });

  it("contains the member's id", () => {
    expect(memberIdIn(brokerErrorOf(answered(79, 'm-1')))).toBe('m-1');
  });
});
