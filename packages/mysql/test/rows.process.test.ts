import { rowsTests } from '@leadership/testkit/vitest';
import { hasLocalMysql } from '@leadership/tools/mysql';
import { describe } from 'vitest';
import { givenConnectionsOf, openStore, ownConnections } from './support/rows-store.ts';

describe.runIf(await hasLocalMysql())('rows on MySQL', () => {
  describe('with connections of their own', () => rowsTests(() => openStore(ownConnections)));

  describe('with a pool of the application, in other modes of SQL', () =>
    rowsTests(() => openStore(givenConnectionsOf)));
});
