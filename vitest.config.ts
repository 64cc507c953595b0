import { availableParallelism } from 'node:os';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

const homes = ['packages/*', 'examples', 'bench', 'simulation', 'tools'];
const tests = (ending: string): string[] => homes.map((home) => `${home}/test/**/*.${ending}`);

/**
 * Unit tests import the packages' sources; process and soak tests start children, so they run on
 * what was built.
 */
const sourceFirst = (conditions: readonly string[]): string[] => [
  '@leadership/source',
  // The condition `module` is meant for bundlers: Node cannot import
  // the files that the AWS SDK offers for it.
  ...conditions.filter((condition) => condition !== 'module'),
];
const onSource = {
  resolve: { conditions: sourceFirst(defaultClientConditions) },
  ssr: { resolve: { conditions: sourceFirst(defaultServerConditions) } },
};

/** The files with processes that `npm test` runs: each backend's core promises. */
const promises = [
  'packages/*/test/promises.process.test.ts',
  'packages/file/test/conformance.process.test.ts',
];

function processes(name: string, include: string[], exclude: string[]) {
  return {
    extends: true as const,
    test: {
      name,
      include,
      exclude,
      // Each file starts several member processes. Three files at a time starve the emulators of
      // AWS on two cores.
      maxWorkers: 2,
      // After the unit tests: they keep both cores busy.
      sequence: { groupOrder: 1 },
      testTimeout: 120_000,
      // A broker is given a minute and a half to start.
      hookTimeout: 180_000,
    },
  };
}

export default defineConfig({
  test: {
    pool: 'forks',
    passWithNoTests: true,
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
      {
        ...onSource,
        extends: true,
        test: {
          name: 'unit',
          include: tests('test.ts'),
          exclude: ['long', 'process', 'soak'].flatMap((kind) => tests(`${kind}.test.ts`)),
          // By default Vitest leaves one core free: on two cores that is half of the machine, and
          // the simulations wait for nothing else.
          maxWorkers: availableParallelism(),
          // A starved machine, not a slow test: the slowest unit test here takes a tenth of this.
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...onSource,
        extends: true,
        test: {
          name: 'long',
          include: tests('long.test.ts'),
          maxWorkers: availableParallelism(),
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      processes('promises', promises, []),
      processes('process', tests('process.test.ts'), promises),
      // Hours of faults, asked for by `npm run soak` only: plain runs leave the project empty.
      ...(process.env['SOAK']
        ? [
            {
              extends: true as const,
              test: {
                name: 'soak',
                include: tests('soak.test.ts'),
                maxWorkers: 1,
                sequence: { groupOrder: 2 },
                testTimeout: 24 * 3_600_000,
              },
            },
          ]
        : []),
    ],
  },
});
