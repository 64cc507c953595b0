// Why a node of Galera is refused (decision 0218).
import { randomUUID } from 'node:crypto';
import { eventually } from '@leadership/testkit/adapter';
import { hasGalera, type LocalGalera, type LocalMysql, localGalera } from '@leadership/tools/mysql';
import { prepared } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fence, mysqlMigration } from '../src/index.ts';
import { openRows } from './support/open-rows.ts';
import { administered, rowsOf, type TestServer } from './support/server.ts';

describe.runIf(await hasGalera())('a node of Galera', () => {
  let galera: LocalGalera;
  let here: TestServer<LocalMysql>;
  let there: TestServer<LocalMysql>;
  beforeAll(async () => {
    galera = await localGalera(2);
    [here, there] = galera.nodes.map((node) => administered(node)) as [typeof here, typeof there];
    await there.admin.query(mysqlMigration());
    await there.admin.query('create table work (id varchar(20) primary key)');
    await there.admin.query('create table bulk (id int primary key)');
  });
  afterAll(async () => {
    await Promise.all([here, there].map(({ admin }) => admin.end()));
    await galera[Symbol.asyncDispose]();
  });

  it('is refused', async () => {
    await using open = openRows(here.config);
    await expect(prepared(open)).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the server is a node of a Galera cluster'),
    });
  });

  it('commits a fenced transaction after a claim on another node, because locks are those of one node', async () => {
    const group = randomUUID();
    const claim = 'update leadership set token = 6 where group_name = ?';
    await there.admin.query(
      "insert into leadership (group_name, name, text, token) values (?, 'partition#0', '{}', 5)",
      [group],
    );
    const seen = async (id: string, sql: string): Promise<boolean> =>
      (await rowsOf(here.admin, sql, [id])).length === 1;
    await eventually('the node has the term', () =>
      seen(group, 'select 1 from leadership where group_name = ?'),
    );
    const client = await here.admin.getConnection();
    await client.query('start transaction');
    await client.query("insert into work values ('zombie')");
    // The node applies these rows before it learns of the claim.
    await there.admin.query('insert into bulk select seq from seq_1_to_400000');
    await there.admin.query(claim, [group]);
    await fence(client, { partition: 0, token: 5n, isCurrent: () => true }, { group });
    await client.query('commit');
    client.release();
    await eventually('the other node has it', async () => {
      const rows = await rowsOf(there.admin, "select 1 from work where id = 'zombie'");
      return rows.length === 1;
    });
  });
});
