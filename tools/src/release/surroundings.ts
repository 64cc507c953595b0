// Completes the snippets of the documentation, so that `npm run release:check` can compile and run
// them. A fragment of a page shows one step, and the page says where the rest comes from. A snippet
// that declares or imports a name itself does not see these.

/** The names that an earlier block of a page, or the sentence before a block, imports: by module. */
const imported: Readonly<Record<string, readonly string[]>> = {
  '@leadership/core': ['openLeadership', 'anyOf'],
  '@leadership/core/memory': ['memoryGroup'],
  '@leadership/etcd': ['etcdLeadership'],
  '@leadership/postgres': ['postgresLeadership'],
  '@leadership/mysql': ['mysqlLeadership'],
  '@leadership/nats': ['natsLeadership'],
  '@leadership/nerio': ['nerioLeadership', 'tcpTransport'],
  '@leadership/http': ['readiness'],
  '@leadership/scheduler': ['nodeCronCoordinator'],
  'node:fs': ['readFileSync'],
  'node-cron': ['default as cron'],
  pino: ['pino'],
};

/** The same as an export of a module, and its name in snippets. */
const names = Object.entries(imported).flatMap(([module, entries]) =>
  entries.map((entry) => {
    const [exported = '', name = exported] = entry.split(' as ');
    return { module, exported, name };
  }),
);

/** The types of these names, and of the values of the application. */
export const surroundings: string = `import type { RequestHandler, Express } from 'express';
import type * as core from '@leadership/core';
import type * as nerio from '@leadership/nerio';

declare global {
${names.map(({ module, exported, name }) => `  const ${name}: typeof import('${module}').${exported};`).join('\n')}
  type Health = core.Health;

  // Values of the application.
  const source: core.LeadershipSource & Pick<ReturnType<typeof nerio.nerioLeadership>, 'reconfigure'>;
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
 * A module that sets those that the started program uses and does not declare itself, so that only
 * their packages are loaded.
 */
export const surroundingValues: string = `import { readFileSync } from 'node:fs';

const is = (value) => () => value;
const bytes = () => Buffer.alloc(0);
const does = (value) => () => async () => value;
const secret = 'a'.repeat(64);

const values = {
${names.map(({ module, exported, name }) => `  ${name}: async () => (await import('${module}')).${exported},`).join('\n')}

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
