import { openLeadership } from '@leadership/core';
import { describe, expect, it } from 'vitest';
import { lastRows } from '../src/connections.ts';
import { mysqlError } from '../src/errors.ts';
import { backend, type MysqlOptions, mysqlLeadership, mysqlMigration } from '../src/index.ts';
import { connectionOf, poolOptions } from '../src/options.ts';

const query = (): Promise<never> => Promise.reject(new Error('no server'));

describe('the options of mysqlLeadership', () => {
  it.each<[string, Partial<MysqlOptions> & Readonly<Record<string, unknown>>]>([
    ['connection and query are set', { connection: { host: 'h' }, query }],
    ['connection has no option username', { connection: { username: 'u' } as never }],
    ['connection.port 3306 must be of type number', { connection: { port: '3306' as never } }],
    ['connection.password must be a text', { connection: { password: 7 as never } }],
    ['connection.ssl must be true, false', { connection: { ssl: 'require' as never } }],
    ['connection null must be of type object', { connection: null as never }],
    ['connection must be mysql://', { connection: 'postgres://u:p@h/d' }],
    ['percent-encode user', { connection: 'mysql://u:p/q@h/d' }],
    ['without parameters', { connection: 'mysql://u:p@h/d?ssl=true' }],
    ['connection.host must be a host without user', { connection: { host: 'u:p@h' } }],
    ['pool must be a pool of mysql2', { pool: { config: 1 as never } }],
    ['create 1 must be of type boolean', { create: 1 as never }],
    ['table "" must be a name', { table: '' }],
    ['must have at most 64 bytes', { table: 't'.repeat(65) }],
    ['must have at most 1000 bytes', { group: '🙂'.repeat(300) }],
    ['group "a\\u0000b" must be a name', { group: 'a\0b' }],
    ['group "\\ud800" must be a name', { group: '\ud800' }],
    ['query select 1 must be of type function', { query: 'select 1' as never }],
    ['partitions 10001 is more than the 10000', { partitions: 10_001 }],
    ['unknown option tabel; did you mean table?', { tabel: 'x' }],
  ])('%s', (message, options) => {
    expect(() => mysqlLeadership({ group: 'g', ...options })).toThrow(message);
  });
});

describe('the URL', () => {
  it('opens a source under both schemes', async () => {
    for (const scheme of ['mysql', 'mariadb'] as const) {
      const source = await openLeadership(`${scheme}://[::1]:1/app?group=g&user=u`, {
        load: () => Promise.resolve({ backend }),
      });
      expect(source.guarantees.exclusive).toBe(true);
      await source.close();
    }
  });

  it('rejects a password, several hosts, and a server beside that of an option', async () => {
    const load = (): Promise<unknown> => Promise.resolve({ backend });
    const refused = (url: 'mysql:', options: object, message: string): Promise<void> =>
      expect(openLeadership(url, { load, ...options })).rejects.toThrow(message);
    await refused('mysql://u:p@h/d?group=g' as 'mysql:', {}, 'secrets never go in the URL');
    const host = 'the server in the URL must be HOST or HOST:PORT';
    await refused('mysql://u:secret/d?group=g' as 'mysql:', {}, host);
    await refused('mysql://a,b/d?group=g' as 'mysql:', {}, 'the URL names 2 hosts');
    const both = 'the URL and an option both name the server';
    await refused('mysql://a/d?group=g' as 'mysql:', { query }, both);
  });
});

describe('a connection string', () => {
  it('gives the parts of the connection', () => {
    const connection = 'mysql://u%40x:p%2Fq@[::1]:3307/app';
    const parts = { host: '::1', port: 3307, database: 'app', user: 'u@x', password: 'p/q' };
    expect(connectionOf(connection)).toEqual(parts);
    expect(connectionOf('mariadb://db.example')).toEqual({ host: 'db.example' });
    // Bytes of no character: no error of the platform, which would show the password.
    expect(connectionOf('mysql://u:p%ff@h')).toEqual({ host: 'h', user: 'u', password: 'p\ufffd' });
  });

  it.each(['mysql://u:p/secret@h/d', 'mysql://u:p%secret@h/d'])(
    'that is no URL is not shown: %s',
    (connection) => {
      const opened = (): unknown => mysqlLeadership({ group: 'g', connection });
      expect(opened).toThrow(
        expect.objectContaining({
          code: 'invalid-options',
          message: expect.not.stringContaining('secret'),
        }),
      );
    },
  );
});

describe('a pool', () => {
  it('gives how it connects, and no other setting', () => {
    const connectionConfig = {
      host: 'h',
      user: 'u',
      password: 'p',
      ssl: {},
      clientFlags: 1,
      port: 1,
    };
    const pool = { config: { connectionConfig } };
    const own = { host: 'h', port: 1, user: 'u', password: 'p', ssl: { verifyIdentity: false } };
    expect(poolOptions(pool)).toEqual(own);
    expect(poolOptions({ pool })).toEqual(own);
    expect(poolOptions({})).toBeUndefined();
  });
});

describe('the results of statements', () => {
  it('end with rows, or the connection takes only one statement', () => {
    expect(lastRows([{ affectedRows: 0 }, [{ name: null }]])).toEqual([{ name: null }]);
    for (const results of [[], [{ affectedRows: 0 }], [{ name: null }]])
      expect(() => lastRows(results)).toThrow('multipleStatements');
  });
});

describe('mysqlMigration', () => {
  it('quotes the name', () => {
    expect(mysqlMigration({ table: 'a`b' })).toContain('create table if not exists `a``b` (');
  });
});

describe('an error', () => {
  it.each([
    ['ER_HOST_NOT_PRIVILEGED', 'unauthorized', 'the server refuses the user'],
    ['ER_SECURE_TRANSPORT_REQUIRED', 'unauthorized', 'set connection.ssl'],
    ['ER_COLUMNACCESS_DENIED_ERROR', 'unauthorized', 'the user lacks a right'],
    ['ER_NO_SUCH_TABLE', 'misconfigured-backend', 'create it'],
    ['ER_READ_ONLY_MODE', 'misconfigured-backend', 'connect to the primary'],
    ['ER_NET_PACKET_TOO_LARGE', 'misconfigured-backend', 'set it to 16M'],
    ['ER_CON_COUNT_ERROR', 'unreachable', 'no connection left'],
    ['ER_TOO_MANY_USER_CONNECTIONS', 'unreachable', 'no connection left'],
    ['ER_LOCK_DEADLOCK', 'unreachable', 'another transaction locks the row'],
    ['PROTOCOL_CONNECTION_LOST', 'unreachable', 'said'],
  ])('%s is %s: %s', (code, meaning, part) => {
    const error = mysqlError(Object.assign(new Error('said'), { code }), 'table "t"');
    expect(error).toMatchObject({ code: meaning, message: expect.stringContaining(part) });
  });
});
