import { inspect } from 'node:util';
import { openLeadership } from '@leadership/core';
import { databaseIn, parseAddress } from '@leadership/core/internal';
import { describe, expect, it } from 'vitest';
import { postgresError } from '../src/errors.ts';
import {
  backend,
  type PostgresOptions,
  postgresLeadership,
  postgresMigration,
} from '../src/index.ts';
import { parameters } from '../src/options.ts';

const query = (): Promise<never> => Promise.reject(new Error('no server'));

describe('the options of postgresLeadership', () => {
  it.each<[string, Partial<PostgresOptions> & Readonly<Record<string, unknown>>]>([
    ['connection and query are set', { connection: 'postgres://h/d', query }],
    ['connection has no option username', { connection: { username: 'u' } as never }],
    ['connection.port 5432 must be of type number', { connection: { port: '5432' as never } }],
    ['connection.password must be a text', { connection: { password: 7 as never } }],
    ['connection.ssl must be true, false', { connection: { ssl: 'require' as never } }],
    ['make connection.ssl a function', { connection: { ssl: { ca: () => 'pem' } } }],
    ['listen is set without query', { listen: () => Promise.resolve(() => undefined) }],
    ['create 1 must be of type boolean', { create: 1 as never }],
    ['notifications no must be of type boolean', { notifications: 'no' as never }],
    ['table "" must be a name', { table: '' }],
    [`schema "${'s'.repeat(64)}" must have at most 63 bytes`, { schema: 's'.repeat(64) }],
    ['group "a\\u0000b" must be a name without NUL', { group: 'a\0b' }],
    ['group "\\ud800" must be a name without NUL and half', { group: '\ud800' }],
    ['query select 1 must be of type function', { query: 'select 1' as never }],
    ['pool.options 1 must be of type object', { pool: { options: 1 as never } }],
    ['partitions 10001 is more than the 10000', { partitions: 10_001 }],
    ['unknown option tabel; did you mean table?', { tabel: 'x' }],
  ])('%s', (message, options) => {
    expect(() => postgresLeadership({ group: 'g', ...options })).toThrow(message);
  });
});

describe('the URL', () => {
  it.each([
    ['postgres://db.example:5433/app?group=g', { host: 'db.example', port: 5433, database: 'app' }],
    ['postgres://db.example?group=g&user=u', { host: 'db.example', user: 'u' }],
    ['postgres://[::1]:5433/app', { host: '::1', port: 5433, database: 'app' }],
    ['postgres:///app', { database: 'app' }],
    ['postgres:?group=g', {}],
  ])('%s names the server', (url, connection) => {
    expect(databaseIn(parseAddress(url, parameters))).toEqual(connection);
  });

  it('opens a source under both schemes', async () => {
    for (const scheme of ['postgres', 'postgresql'] as const) {
      const source = await openLeadership(`${scheme}://127.0.0.1:1/app?group=g`, {
        load: () => Promise.resolve({ backend }),
      });
      expect(source.guarantees.exclusive).toBe(true);
      await source.close();
    }
  });

  it('rejects a password and several hosts', async () => {
    const load = (): Promise<unknown> => Promise.resolve({ backend });
    await expect(openLeadership('postgres://u:p@h/d?group=g', { load })).rejects.toThrow(
      'secrets never go in the URL',
    );
    await expect(openLeadership('postgres://a,b/d?group=g', { load })).rejects.toThrow(
      'the URL names 2 hosts',
    );
    await expect(openLeadership('postgres://a/d?group=g', { load, query })).rejects.toThrow(
      'the URL and an option both name the server',
    );
  });
});

describe('a connection string', () => {
  it('that is no URL is refused, and not shown', async () => {
    const connection = 'postgres://u:p/secret@h/d';
    const source = postgresLeadership({ group: 'g', connection, log: false });
    const error = await source.ready().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('percent-encode user and password'),
    });
    expect(inspect([error, source.health()], { depth: 9 })).not.toContain('secret');
    await source.close();
  });
});

describe('postgresMigration', () => {
  it('quotes the names', () => {
    expect(postgresMigration({ schema: 'a"b', table: 'c d' })).toContain(
      'create table if not exists "a""b"."c d" (',
    );
  });
});

describe('a server that asks for TLS', () => {
  it('is named as such, and not as one that refuses the password', () => {
    const said = 'no pg_hba.conf entry for host "::1", user "u", database "d", no encryption';
    const error = postgresError(Object.assign(new Error(said), { code: '28000' }), 'table');
    expect(error.message).toContain('admits this user without TLS: set connection.ssl');
  });
});
