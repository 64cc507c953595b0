import { availableParallelism } from 'node:os';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

const homes = ['packages/*', 'examples', 'bench', 'simulation', 'tools'];
const tests = (ending: string): string[] => homes.map((home) => `${home}/test/**/*.${ending}`);

/** Puts a condition of `exports` first. */
const onCondition =
  (condition: string) =>
  (conditions: readonly string[]): string[] => [
    condition,
    // The condition `module` is meant for bundlers: Node cannot import
    // the files that the AWS SDK offers for it.
    ...conditions.filter((other) => other !== 'module'),
  ];
/**
 * Unit tests import the packages' sources; process and soak tests start children, so they run on
 * what was built.
 */
const sourceFirst = onCondition('@leadership/source');
/** For what was built, with the entries that only this repository uses: the machines of the protocols. */
const internals = onCondition('@leadership/internal');
const onInternals = {
  resolve: { conditions: internals(defaultClientConditions) },
  ssr: { resolve: { conditions: internals(defaultServerConditions) } },
};
/** The files whose machine checks each of its steps against the text of the rules, in tests. */
const checkedIn = [
  '/core/src/lease/shell.ts',
  '/core/test/lease/group.ts',
  '/core/test/lease/properties.test.ts',
];
const checkedStep = {
  name: 'checked-step',
  enforce: 'pre' as const,
  resolveId(source: string, importer = '') {
    const isChecked = checkedIn.some((file) => importer.endsWith(file));
    return isChecked && /^\.\.?\/(.*\/lease\/)?step\.ts$/.test(source)
      ? new URL('simulation/test/checked-step/step.ts', import.meta.url).pathname
      : undefined;
  },
};
const onSource = {
  plugins: [checkedStep],
  resolve: { conditions: sourceFirst(defaultClientConditions) },
  ssr: { resolve: { conditions: sourceFirst(defaultServerConditions) } },
};

/** The files of tests that the plain unit tests exclude. */
const special = ['isolated', 'long', 'process', 'soak'].flatMap((kind) => tests(`${kind}.test.ts`));

/**
 * The tests of code that reads no clock, sets no timer and does no IO: they leave nothing behind in
 * their process. A new process for each of these files would take longer than most of their tests.
 */
const pure = [
  'packages/{induction,nerio}/test/protocol/**/*.test.ts',
  'packages/scuttlebutt/test/{election,gossip,search}/**/*.test.ts',
  'simulation/test/**/*.test.ts',
];

/**
 * Node imports these sources, and compiles them itself. What Vitest imports runs half as fast: each
 * use of an import is a call there. The files cannot replace the modules that sources import.
 */
const nativeSources = {
  execArgv: ['--enable-source-maps', `--import=${new URL('vitest/register.mjs', import.meta.url)}`],
  setupFiles: ['vitest/stack-traces.mjs'],
  server: { deps: { external: [/\/src\/(?!.*\/test\/).*\.ts$/] } },
};

/** The long tests that neither wait nor measure time. */
const longSimulation = [
  '{simulation,packages/scuttlebutt}/test/**/*.long.test.ts',
  'packages/nerio/test/protocol/**/*.long.test.ts',
];

/**
 * The files with processes that `npm test` runs: the core promises of each backend that starts
 * within a second or two of processor time. On Kafka, Kinesis and Kubernetes, whose servers take
 * ten, the suites run them with all other checks on one server.
 */
const promises = ['packages/*/test/promises.process.test.ts'];

/** Workers for tests that often wait, for files, sockets and leases. */
const waiting = availableParallelism() + 2;

/** Workers for tests that mostly wait for servers: each uses a sixth to two thirds of a core. */
const onServers = 4;

/** The order of the projects: each runs after the earlier ones, with workers of its own. */
let groupOrder = 0;

interface ProjectOptions {
  readonly exclude?: string[];
  /** Whether the files run among those of the project before. Both need the same `maxWorkers`. */
  readonly joins?: boolean;
  readonly isolate?: boolean;
  /** By default Vitest leaves one core free: on two cores that is half of the machine. */
  readonly maxWorkers?: number;
  readonly execArgv?: string[];
  readonly setupFiles?: string[];
  readonly server?: { readonly deps: { readonly external: RegExp[] } };
  /** Milliseconds. The default is for a starved machine: the slowest unit test takes a tenth. */
  readonly testTimeout?: number;
}

/** A project of tests that import the packages' sources. */
function onSources(name: string, include: string[], { joins, ...options }: ProjectOptions = {}) {
  if (joins !== true) groupOrder += 1;
  return {
    ...onSource,
    extends: true as const,
    test: {
      name,
      include,
      maxWorkers: availableParallelism(),
      testTimeout: 120_000,
      ...options,
      sequence: { groupOrder },
      hookTimeout: 60_000,
    },
  };
}

/** The time for hooks that start servers: a broker is given a minute and a half. Milliseconds. */
const serverHookMs = 180_000;

/** More than two of these files at a time starve the emulators of AWS, which are one process each. */
const aws = ['packages/kinesis/test/**/*.process.test.ts'];

/** The files with the suites, whose many checks at a time use most of a core. */
const suites = ['packages/*/test/**/{conformance,continuous}*.process.test.ts'];

/** A project of tests that start processes, on what was built. */
function processes(name: string, include: string[], { joins, ...options }: ProjectOptions) {
  if (joins !== true) groupOrder += 1;
  return {
    extends: true as const,
    test: {
      name,
      include,
      ...options,
      sequence: { groupOrder },
      // Node imports what was built: Vitest would evaluate it more slowly.
      server: { deps: { external: [/\/(dist|lib)\/(?!.*\/test\/).*\.js$/] } },
      // A check without a verdict on a starved machine runs three times, with longer leases.
      testTimeout: 300_000,
      hookTimeout: serverHookMs,
    },
  };
}

export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: 'vitest/bundles.mjs',
    passWithNoTests: true,
    // With --changed, a change of these runs every file. Others count as the files import them.
    forceRerunTriggers: ['**/{package-lock.json,vitest.config.ts}', '**/vitest/*'],
    // Checks of the conformance suite mostly wait. With the default of 5, one core is idle.
    maxConcurrency: 12,
    // A polled condition takes milliseconds to hold. The time-out is for a starved machine.
    expect: { poll: { timeout: 60_000 } },
    // Reached only on an explicit --coverage: the default run measures nothing.
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      reporter: ['text-summary', 'html'],
    },
    projects: [
      onSources('unit-pure', pure, { exclude: special, isolate: false, ...nativeSources }),
      // Files that share a process run in half the time. They must leave nothing in it.
      onSources('unit', tests('test.ts'), {
        exclude: [...special, ...pure],
        isolate: false,
        maxWorkers: waiting,
        setupFiles: ['simulation/test/checked-step/setup.ts'],
      }),
      // These replace modules, change the process (working directory, backends), or measure its heap or
      // its sockets.
      onSources('unit-isolated', tests('isolated.test.ts'), {
        joins: true,
        maxWorkers: waiting,
        setupFiles: ['simulation/test/checked-step/setup.ts'],
      }),
      processes('promises', promises, { joins: true, maxWorkers: waiting }),
      // These only compute: `.ci/run` runs them at the lowest priority beside tests that wait, which
      // may leave one of them without a core for as long as those run.
      onSources('long-simulation', longSimulation, { testTimeout: 3_600_000, ...nativeSources }),
      processes('process', tests('process.test.ts'), {
        exclude: [...promises, ...suites, ...aws],
        maxWorkers: onServers,
      }),
      onSources('long', tests('long.test.ts'), {
        joins: true,
        exclude: longSimulation,
        maxWorkers: onServers,
        testTimeout: 600_000,
      }),
      // With four, two cores are never idle, and members wait for a core instead of a message.
      processes('process-suites', suites, { exclude: [...promises, ...aws], maxWorkers: 3 }),
      processes('process-aws', aws, { exclude: promises, maxWorkers: 2 }),
      // Hours of faults, asked for by `npm run soak` only: plain runs leave the project empty.
      ...(process.env['SOAK']
        ? [
            {
              ...onInternals,
              extends: true as const,
              test: {
                name: 'soak',
                include: tests('soak.test.ts'),
                maxWorkers: 1,
                sequence: { groupOrder: groupOrder + 1 },
                testTimeout: 24 * 3_600_000,
                hookTimeout: serverHookMs,
              },
            },
          ]
        : []),
    ],
  },
});
