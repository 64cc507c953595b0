import { LeadershipError } from '@leadership/core';
import * as library from '@platformatic/kafka';
import { describe, expect, it } from 'vitest';
import { kafkaLeadership, platformatic } from '../../src/index.ts';
import { libraryOf } from '../../src/platformatic/library.ts';
import { platformaticWith } from '../../src/platformatic/platformatic-client.ts';

const login = { mechanism: 'PLAIN', username: 'u', password: 'p' } as const;
const nowhere = '127.0.0.1:1';
const good = { kafka: { brokers: [nowhere] }, group: 'g', topic: 't' };

describe('the options of platformatic()', () => {
  it.each([
    [{ ssl: {} }, /platformatic\(\) has no option ssl/],
    [{ tls: true }, /tls must be an object/],
    [{ clientId: '' }, /clientId/],
    [{ connectTimeoutMs: 0.5 }, /connectTimeoutMs/],
    [{ connectTimeoutMs: 2 ** 31 }, /connectTimeoutMs .* 2147483647/],
    [{ tls: { ca: 7 } }, /tls is refused by Node: .*ca/],
    [{ tls: { ca: 'not a certificate', cert: 'nor this' } }, /tls is refused by Node: /],
    [{ sasl: 'PLAIN' }, /sasl must be an object/],
    [{ sasl: { ...login, mechanism: 'plain' } }, /mechanism plain must be one of PLAIN/],
    [{ sasl: { ...login, user: 'u' } }, /sasl has no option user/],
    [{ sasl: { ...login, password: undefined } }, /sasl\.password .*PLAIN needs it/],
    [{ sasl: { mechanism: 'OAUTHBEARER' } }, /sasl\.token/],
  ])('%j are refused, by name', (wrong, sentence) => {
    expect(() => platformatic(wrong as never)).toThrow(
      expect.objectContaining({
        code: 'invalid-options',
        message: expect.stringMatching(sentence),
      }),
    );
  });

  it('may be left out, and may find credentials at each login', () => {
    expect(() => platformatic()).not.toThrow();
    expect(() =>
      platformatic({ tls: {}, sasl: { ...login, password: () => Promise.resolve('p') } }),
    ).not.toThrow();
  });
});

describe('the client option', () => {
  it.each([
    [{ client: 'rdkafka' }, /client "rdkafka" must be "kafkajs", "platformatic" or platformatic\(/],
    [{ client: {} }, /client \[object Object\] must be/],
    [
      { client: platformatic(), kafka: { brokers: [nowhere], sasl: login } },
      /kafka\.sasl is an option of KafkaJS/,
    ],
    [
      { client: 'platformatic', kafka: { consumer: () => undefined } },
      /kafka is a client of KafkaJS/,
    ],
  ])('%j is refused', (wrong, sentence) => {
    expect(() => kafkaLeadership({ ...good, ...wrong } as never)).toThrow(
      expect.objectContaining({
        code: 'invalid-options',
        message: expect.stringMatching(sentence),
      }),
    );
  });
});

describe('a member without the optional package', () => {
  it('is refused with one sentence that says what to install', async () => {
    const missing = Object.assign(new Error("Cannot find package '@platformatic/kafka'"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    const missed = libraryOf(() => Promise.reject(missing));
    await using source = kafkaLeadership({ ...good, client: platformaticWith({}, missed) });
    const refusal = await source.ready().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(LeadershipError);
    expect(refusal).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('npm install @platformatic/kafka'),
    });
  });

  it('is refused with the names that a release of another shape lacks', async () => {
    const { fetchV12: _, Connection: __, ...rest } = library;
    const other = libraryOf(() =>
      Promise.resolve({ ...rest, joinGroupV9: {} } as unknown as typeof library),
    );
    await expect(other()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(
        /does not export Connection, fetchV12, joinGroupV9 .*npm install/,
      ),
    });
    await expect(libraryOf(() => Promise.resolve(library))()).resolves.toBe(library);
  });
});
