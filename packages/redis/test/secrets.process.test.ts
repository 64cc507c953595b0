import { eventually } from '@leadership/testkit/adapter';
import { hasLocalRedis, type LocalRedis, localRedis } from '@leadership/tools/redis';
import { listed } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRows } from './support/open-rows.ts';

describe.runIf(await hasLocalRedis())('a password that changes', () => {
  let server: LocalRedis;
  let current = 'first';
  beforeAll(async () => {
    server = await localRedis();
    await server.ask('ACL', 'SETUSER', 'app', 'reset', 'on', '>first', '~*', '&*', '+@all');
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('is asked for with each new connection', async () => {
    let calls = 0;
    const password = async (): Promise<string> => {
      calls += 1;
      return current;
    };
    await using rows = openRows({ port: server.port, username: 'app', password });
    expect(await listed(rows)).toEqual(new Map());
    await listed(rows);
    expect(calls).toBe(1);
    current = 'second';
    await server.ask('ACL', 'SETUSER', 'app', '<first', '>second');
    await server.ask('CLIENT', 'KILL', 'USER', 'app');
    await eventually('it reads with the new password', () =>
      listed(rows).then(
        () => true,
        () => false,
      ),
    );
    expect(calls).toBeGreaterThan(1);
  });

  it('is named if it cannot be had, and if it is no text', async () => {
    const failing = openRows({ port: server.port, password: () => Promise.reject(Error('no')) });
    await expect(listed(failing)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('the function connection.password failed: no'),
    });
    await failing[Symbol.asyncDispose]();
    await using empty = openRows({ port: server.port, password: () => undefined as never });
    await expect(listed(empty)).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('the function connection.password returned a value of type'),
    });
  });

  it('is asked for along with certificates', async () => {
    let calls = 0;
    const tls = (): object => {
      calls += 1;
      return {};
    };
    await using rows = openRows({ port: server.port, tls });
    await expect(listed(rows)).rejects.toThrow('TLS');
    expect(calls).toBe(1);
  });
});
