// Completes the snippets of the documentation, so that `npm run release:check` can compile them.

/**
 * The declarations of the program around a fragment of a page: a fragment shows one step, and the page
 * says where the rest comes from. A snippet that declares or imports a name itself does not see these.
 */
export const surroundings = `import type { RequestHandler, Express } from 'express';
import type * as core from '@leadership/core';
import type * as memory from '@leadership/core/memory';
import type * as etcd from '@leadership/etcd';
import type * as http from '@leadership/http';
import type * as mysql from '@leadership/mysql';
import type * as nats from '@leadership/nats';
import type * as nerio from '@leadership/nerio';
import type * as pg from '@leadership/postgres';
import type * as scheduler from '@leadership/scheduler';

declare global {
  // Names that an earlier block of the page, or the sentence before the block, imports.
  const openLeadership: typeof core.openLeadership;
  const anyOf: typeof core.anyOf;
  type Health = core.Health;
  const memoryGroup: typeof memory.memoryGroup;
  const etcdLeadership: typeof etcd.etcdLeadership;
  const postgresLeadership: typeof pg.postgresLeadership;
  const mysqlLeadership: typeof mysql.mysqlLeadership;
  const natsLeadership: typeof nats.natsLeadership;
  const nerioLeadership: typeof nerio.nerioLeadership;
  const tcpTransport: typeof nerio.tcpTransport;
  const readiness: typeof http.readiness;
  const nodeCronCoordinator: typeof scheduler.nodeCronCoordinator;
  const readFileSync: typeof import('node:fs').readFileSync;
  const cron: typeof import('node-cron');
  const pino: typeof import('pino').pino;

  // Values of the application.
  const source: core.LeadershipSource & Pick<ReturnType<typeof nerioLeadership>, 'reconfigure'>;
  const app: Express;
  const url: string;
  const member: string;
  const password: string;
  const secret: string;
  const endpoints: string[];
  const servers: string[];
  const cert: Buffer;
  const key: Buffer;
  const ca: Buffer;
  const transport: ReturnType<typeof nerio.tcpTransport>;
  const pool: import('pg').Pool;
  const client: import('ioredis').Redis;
  const takeOrder: RequestHandler;
  const test: typeof import('vitest').test;
  const expect: typeof import('vitest').expect;
  function sendReport(of?: unknown): Promise<void>;
  function sendNextInvoice(term: core.Term): Promise<void>;
  function readSecret(name?: string): Promise<string>;
  function readPassword(): Promise<string>;
}
`;

/**
 * A module that sets the values of `surroundings` that the started program uses and does not declare
 * itself, so that only their packages are loaded.
 */
export const surroundingValues = `import { readFileSync } from 'node:fs';

const from = (module, name) => async () => (await import(module))[name];
const is = (value) => () => value;
const bytes = () => Buffer.alloc(0);
const does = (value) => () => async () => value;
const secret = 'a'.repeat(64);

const values = {
  openLeadership: from('@leadership/core', 'openLeadership'),
  anyOf: from('@leadership/core', 'anyOf'),
  memoryGroup: from('@leadership/core/memory', 'memoryGroup'),
  etcdLeadership: from('@leadership/etcd', 'etcdLeadership'),
  postgresLeadership: from('@leadership/postgres', 'postgresLeadership'),
  mysqlLeadership: from('@leadership/mysql', 'mysqlLeadership'),
  natsLeadership: from('@leadership/nats', 'natsLeadership'),
  nerioLeadership: from('@leadership/nerio', 'nerioLeadership'),
  tcpTransport: from('@leadership/nerio', 'tcpTransport'),
  readiness: from('@leadership/http', 'readiness'),
  nodeCronCoordinator: from('@leadership/scheduler', 'nodeCronCoordinator'),
  readFileSync: is(readFileSync),
  cron: from('node-cron', 'default'),
  pino: from('pino', 'pino'),

  source: async () => {
    const { memoryGroup } = await import('@leadership/core/memory');
    return Object.assign(memoryGroup('snippets').join({ log: false }), { reconfigure: does()() });
  },
  app: async () => (await import('express')).default(),
  url: is('memory:?group=snippets'),
  member: is('a'),
  password: is('p'),
  secret: is(secret),
  endpoints: is(['127.0.0.1:9']),
  servers: is(['127.0.0.1:9']),
  cert: bytes,
  key: bytes,
  ca: bytes,
  transport: async () => (await import('@leadership/nerio')).tcpTransport(),
  pool: async () => new (await import('pg')).default.Pool({ host: '127.0.0.1', port: 9 }),
  client: async () => new (await import('ioredis')).Redis({ port: 9, lazyConnect: true }),
  takeOrder: is((_request, response) => response.end()),
  sendReport: does(),
  sendNextInvoice: does(),
  readSecret: does(secret),
  readPassword: does('p'),
};
const program = readFileSync(process.argv[1], 'utf8');
for (const [name, valueOf] of Object.entries(values)) {
  const isUsed = new RegExp('\\\\b' + name + '\\\\b').test(program);
  const isOwn = new RegExp('(?:import|const|let)\\\\b[^;=]*\\\\b' + name + '\\\\b').test(program);
  if (isUsed && !isOwn) globalThis[name] = await valueOf();
}
`;
