import { eventually } from '@leadership/testkit/adapter';
import * as library from '@platformatic/kafka';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasErrorType, kafkaError } from '../../src/errors.ts';
import { type BrokerConnection, openConnection } from '../../src/platformatic/connection.ts';
import type { PlatformaticLogin } from '../../src/platformatic/options.ts';
import { loginAnswers, type ScriptedBroker, scriptedBroker } from '../support/scripted-broker.ts';

const over = new AbortController();
let broker: ScriptedBroker | undefined;
let uncaught: unknown[];
const note = (error: unknown): void => void uncaught.push(error);
beforeEach(() => {
  uncaught = [];
  process.on('uncaughtException', note);
});
afterEach(() => {
  process.off('uncaughtException', note);
  broker?.[Symbol.dispose]();
  expect(uncaught).toEqual([]);
});

/** Logs in to a broker that answers every login alike. */
async function logIn(
  sasl: PlatformaticLogin,
  answer: Parameters<typeof loginAnswers>[1] = {},
  answerMs = 0,
): Promise<BrokerConnection> {
  broker = await scriptedBroker(loginAnswers(sasl.mechanism, answer), answerMs);
  return openConnection(
    library,
    { sasl, connectTimeoutMs: 2_000 },
    { host: '127.0.0.1', port: broker.port },
    over.signal,
  );
}

const scram = { mechanism: 'SCRAM-SHA-256', username: 'u', password: 'p' } as const;
const bearer = { mechanism: 'OAUTHBEARER', token: 't' } as const;

describe('a login by the second client', () => {
  it.each([
    ['username', 7],
    ['password', {}],
    ['password', undefined],
  ] as const)('rejects, and names the function, if %s is %j', async (name, value) => {
    await expect(logIn({ ...scram, [name]: () => value as never })).rejects.toMatchObject({
      code: 'invalid-options',
      message: expect.stringMatching(`sasl\\.${name} must return a string, not ${typeof value}`),
    });
  });

  it('rejects with the reason of a function that fails', async () => {
    await expect(
      logIn({ ...scram, password: () => Promise.reject(new Error('the store is locked')) }),
    ).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/sasl\.password failed: the store is locked/),
    });
  });

  it('rejects if the answer of the broker cannot be read', async () => {
    await expect(logIn(scram, { authBytes: 'nonsense' })).rejects.toThrow();
  });

  it('by a token is refused in an answer that has no error code', async () => {
    const refusal: unknown = await logIn(bearer, { authBytes: '{"status":"invalid_token"}' }).catch(
      (error: unknown) => error,
    );
    expect(hasErrorType(refusal, 'SASL_AUTHENTICATION_FAILED')).toBe(true);
    expect(kafkaError(refusal, 'topic t')).toMatchObject({
      code: 'unauthorized',
      cause: { message: expect.stringMatching(/invalid_token/) },
    });
  });

  it('by a token succeeds', async () => {
    expect((await logIn(bearer)).isOpen).toBe(true);
  });

  it('lasts from the time before the request, however late the answer arrives', async () => {
    const [lifetimeMs, answerMs] = [10_000, 300];
    const { renewAt, expiresAt } = await logIn(bearer, { lifetimeMs }, answerMs);
    const answeredAt = performance.now();
    expect(renewAt).toBeLessThan(answeredAt - answerMs / 2 + 0.7 * lifetimeMs);
    expect(expiresAt).toBeLessThan(answeredAt - answerMs / 2 + 0.95 * lifetimeMs);
  });
});

describe('an answer to a request of the second client', () => {
  it("must arrive within the client's limit, and the connection stays open", async () => {
    broker = await scriptedBroker();
    const place = { host: '127.0.0.1', port: broker.port };
    const connection = await openConnection(library, { requestTimeoutMs: 100 }, place, over.signal);
    await expect(connection.ask(library.metadataV12.api, [], false, false)).rejects.toThrow(
      '100 ms',
    );
    expect(connection.isOpen).toBe(true);
    connection.retire();
    await eventually('nothing holds the connection any longer', () => !connection.isOpen);
  });
});
