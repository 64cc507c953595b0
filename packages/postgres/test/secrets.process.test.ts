import { randomUUID } from 'node:crypto';
import { eventually } from '@leadership/testkit/adapter';
import { hasPostgres } from '@leadership/tools/postgres';
import { listed, prepared } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRows } from './support/open-rows.ts';
import { type TestServer, testServer } from './support/server.ts';

describe.runIf(await hasPostgres())('a password that changes', () => {
  let server: TestServer;
  const user = `u${randomUUID().slice(0, 8)}`;
  let current = 'first';
  beforeAll(async () => {
    server = await testServer();
    await server.admin.query(`create role ${user} login superuser password 'first'`);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('is asked for with each new connection', async () => {
    let calls = 0;
    const password = async (): Promise<string> => {
      calls += 1;
      return current;
    };
    await using rows = openRows({ ...server.config, user, password });
    await prepared(rows);
    await listed(rows);
    expect(calls).toBe(1);
    current = 'second';
    await server.admin.query(`alter role ${user} password 'second'`);
    await server.admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1',
      [user],
    );
    await eventually('it reads with the new password', () =>
      listed(rows).then(
        () => true,
        () => false,
      ),
    );
    expect(calls).toBeGreaterThan(1);
  });

  it('is named if it cannot be had, and if it is no text', async () => {
    const failing = openRows({ ...server.config, password: () => Promise.reject(Error('no')) });
    await expect(listed(failing)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('the function connection.password failed: no'),
    });
    await failing[Symbol.asyncDispose]();
    await using empty = openRows({ ...server.config, password: () => undefined as never });
    await expect(listed(empty)).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('the function connection.password returned a value of type'),
    });
  });

  it('is asked for along with certificates, and a server without TLS is named', async () => {
    let calls = 0;
    const ssl = async (): Promise<object> => {
      calls += 1;
      return {};
    };
    await using rows = openRows({ ...server.config, ssl });
    await expect(listed(rows)).rejects.toThrow('the server does not support TLS');
    expect(calls).toBe(1);
    // The pause after a refusal has not begun for another kind of request.
    await expect(prepared(rows)).rejects.toThrow('the server does not support TLS');
    expect(calls).toBe(2);
  });
});
