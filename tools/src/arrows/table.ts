// The arrows: what the files of a folder may import. `npm run check` compares them with every import,
// and the diagram in CONTRIBUTING.md is drawn from them.

/**
 * By folder, such as `core/contract` for `packages/core/src/contract`: the names that its files may
 * import. A name is a folder or a file of the same package, an entry point of another one (`core/adapter`
 * for `@leadership/core/adapter`; `*` for all below), `node` for the platform, `node:net` for one of its
 * modules, or one of {@link confined}. A folder or file without a line has that of the
 * folder around it.
 */
export const arrows: Readonly<Record<string, string>> = {
  // core: the contract and the protocols. Files of `core` itself are the entry points.
  core:
    'core/adapter core/async core/combine core/contract core/engine core/lease core/memory ' +
    'core/process core/rows core/source core/time ',
  'core/adapter': 'core/async core/contract core/engine core/process node:tls',
  'core/async': 'core/process core/time',
  'core/combine': 'core/async core/contract core/process core/source core/time rxjs',
  'core/contract': 'core/time rxjs',
  'core/engine': 'core/async core/contract core/process core/time',
  'core/internal':
    'core/adapter core/async core/contract core/engine ' +
    'core/lease core/memory core/process core/process/guard core/rows core/source ' +
    'core/time ',
  'core/lease': 'core/async core/contract core/engine core/process core/rows core/time',
  'core/memory':
    'core/adapter core/async core/contract core/lease core/process core/rows core/source core/time ' +
    'rxjs',
  'core/process': 'core/contract core/time node',
  'core/process/guard': 'core/process node',
  'core/rows': 'core/async core/contract core/engine core/time',
  'core/source':
    'core/adapter core/async core/contract core/engine/presence.ts core/memory core/process ' +
    'core/process/guard core/time rxjs',
  'core/time': 'node',

  // Adapters of stores: they use what authors of adapters have, and nothing else.
  etcd: 'core core/adapter node',
  kubernetes: 'core core/adapter node',
  mysql: 'core core/adapter node',
  nats: 'core core/adapter node',
  postgres: 'core core/adapter node',
  redis: 'core core/adapter node',

  // What the guarantee `continuous` of Kafka and Kinesis is made of.
  induction: 'core core/adapter core/internal/engine induction/protocol',
  'induction/protocol': 'core core/adapter core/internal/engine induction/beat.ts',

  // Files, and adapters that are not rows yet.
  file: 'core core/adapter core/internal/engine file/disk file/mount file/rows node',
  'file/disk': 'core core/adapter file node',
  'file/mount': 'core core/adapter core/internal/engine file/disk node',
  'file/rows': 'core core/adapter core/internal/engine file file/disk file/mount node',
  kafka:
    'core core/adapter core/internal/engine core/internal/rows induction kafka/connection ' +
    'kafka/group kafka/kafkajs kafka/platformatic kafka/topic',
  'kafka/connection': 'core core/adapter core/internal/engine kafka node',
  'kafka/group': 'core core/adapter core/internal/engine induction kafka kafka/topic',
  'kafka/kafkajs':
    'core core/adapter core/internal/engine kafka kafka/connection kafka/group ' +
    'kafka/kafkajs-patches kafkajs node',
  'kafka/kafkajs-patches': 'core kafka kafka/connection kafkajs node',
  'kafka/platformatic':
    '@platformatic/kafka core core/adapter core/internal/engine kafka kafka/connection ' +
    'kafka/group node',
  'kafka/topic':
    'core core/adapter core/internal/engine core/internal/rows induction kafka kafka/connection',
  kinesis:
    '@aws-sdk/client-kinesis core core/adapter core/internal/engine core/internal/rows induction ' +
    'kinesis/client kinesis/stream kinesis/table',
  'kinesis/client': 'core core/adapter core/internal/engine kinesis',
  'kinesis/stream':
    '@aws-sdk/client-kinesis core core/adapter core/internal/engine induction kinesis ' +
    'kinesis/client kinesis/table node',
  'kinesis/table':
    'core core/adapter core/internal/engine core/internal/rows induction kinesis kinesis/client',

  // Members that elect among themselves.
  peer: 'core core/adapter core/internal/engine node',
  nerio:
    'core core/adapter core/internal/engine peer nerio/protocol ' +
    'nerio/source nerio/transport nerio/transport/codec nerio/transport/frames ' +
    'nerio/transport/tcp rxjs',
  'nerio/protocol': 'core core/adapter core/internal/engine',
  'nerio/source':
    'core core/adapter core/internal/engine nerio nerio/protocol nerio/transport node',
  'nerio/transport': 'core core/adapter nerio/protocol nerio/transport/frames',
  'nerio/transport/codec': 'peer nerio/protocol nerio/transport',
  'nerio/transport/frames': 'peer nerio/protocol nerio/transport nerio/transport/codec node:crypto',
  'nerio/transport/tcp':
    'core core/adapter core/internal/engine peer nerio/protocol ' +
    'nerio/transport nerio/transport/codec nerio/transport/frames node',
  scuttlebutt:
    'core core/adapter core/internal/engine scuttlebutt/protocol ' +
    'scuttlebutt/protocol/election scuttlebutt/protocol/gossip scuttlebutt/source ' +
    'scuttlebutt/transport node rxjs',
  'scuttlebutt/protocol':
    'core/adapter core/internal/engine scuttlebutt/protocol/election ' +
    'scuttlebutt/protocol/gossip',
  'scuttlebutt/protocol/election': 'core/internal/engine',
  'scuttlebutt/protocol/gossip': 'core/internal/engine',
  'scuttlebutt/source':
    'core core/adapter core/internal/engine scuttlebutt scuttlebutt/protocol ' +
    'scuttlebutt/protocol/election scuttlebutt/protocol/gossip scuttlebutt/transport node',
  'scuttlebutt/transport':
    'core core/adapter core/internal/engine peer scuttlebutt/protocol ' +
    'scuttlebutt/transport/codec node',
  'scuttlebutt/transport/codec':
    'peer scuttlebutt/protocol scuttlebutt/protocol/election ' +
    'scuttlebutt/protocol/gossip node:buffer',

  // Packages that run on any backend.
  cli:
    'cli/doctor cli/guard cli/resign cli/run cli/status cli/watch core core/internal ' +
    'core/internal/guard node',
  'cli/doctor': 'cli core core/internal node',
  'cli/guard': 'cli core core/internal/engine core/internal/guard node',
  'cli/resign': 'cli cli/run core core/internal node rxjs',
  'cli/run': 'cli core core/internal core/internal/guard node',
  'cli/status': 'cli core core/internal node rxjs',
  'cli/watch': 'cli cli/status core core/internal core/internal/guard dashboard node rxjs',
  dashboard: 'core core/internal node rxjs',
  http: 'core core/internal node',
  nestjs: 'core core/internal scheduler',
  opentelemetry: 'core node',
  scheduler: 'core core/adapter core/internal node rxjs',

  // Tests, simulations, and what is not published.
  bench:
    'core core/* file kafkajs kubernetes nerio nerio/internal/* scuttlebutt simulation testkit/faults testkit/internal tools/* ' +
    'node rxjs',
  examples:
    'core core/adapter dashboard file http mysql opentelemetry postgres redis scheduler node rxjs',
  simulation: 'simulation/kernel simulation/rows',
  'simulation/cli':
    'simulation/induction simulation/kernel simulation/nerio simulation/relation ' +
    'simulation/rows simulation/scuttlebutt simulation/shell node',
  'simulation/induction':
    'core/internal/engine induction induction/internal/protocol ' + 'simulation/kernel',
  'simulation/kernel': 'core core/adapter core/internal/engine',
  'simulation/nerio': 'core/adapter nerio/internal/protocol simulation/kernel',
  'simulation/relation': 'core/adapter core/internal/sessions',
  'simulation/rows':
    'core/adapter core/internal/engine core/internal/guard core/internal/sessions ' +
    'simulation/kernel simulation/relation',
  'simulation/scuttlebutt': 'scuttlebutt/internal/protocol simulation/kernel',
  'simulation/search': 'simulation/kernel',
  'simulation/search/rows':
    'core/adapter core/internal/sessions simulation/kernel simulation/relation simulation/rows ' +
    'simulation/search node',
  // Node says which rejections nobody handles.
  'simulation/shell':
    'core core/adapter core/internal/engine core/internal/guard core/internal/sessions ' +
    'simulation/kernel simulation/rows node',
  testkit:
    'testkit/adapter testkit/conformance testkit/faults testkit/history testkit/processes ' +
    'testkit/rows testkit/voters',
  'testkit/rows': 'core/adapter testkit/adapter testkit/missing-faults.ts testkit/rows/checks node',
  'testkit/rows/checks': 'core/adapter testkit/adapter testkit/rows node',
  'testkit/vitest.ts':
    'testkit/conformance testkit/rows testkit/vitest-suite.ts testkit/vitest-time.ts',
  'testkit/vitest-suite.ts': 'vitest',
  'testkit/vitest-time.ts': 'testkit vitest',
  'testkit/adapter': 'core core/adapter testkit/conformance node',
  'testkit/conformance':
    'core testkit/conformance/checks testkit/missing-faults.ts testkit/processes node rxjs',
  'testkit/conformance/checks':
    'core testkit/conformance testkit/faults testkit/history testkit/processes node rxjs',
  'testkit/faults': 'core testkit/conformance node',
  'testkit/history': 'testkit/processes',
  'testkit/processes': 'core core/adapter core/internal testkit/conformance testkit/faults node',
  'testkit/voters': 'core node',
  tools:
    '@aws-sdk/client-kinesis core core/* dashboard/internal kafkajs nerio scuttlebutt testkit ' +
    'testkit/* vitest node rxjs',
};

/** External packages that only a folder whose line names them may import. */
export const confined: ReadonlySet<string> = new Set([
  'rxjs',
  'kafkajs',
  '@platformatic/kafka',
  '@aws-sdk/client-kinesis',
  'vitest',
]);
