// `npm test` skips the tests of the SQLite example on Node 20, which has no SQLite. Here they run on a
// newer Node, whose program comes from its npm package.
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { nodeProgram } from '@leadership/tools/node-program';
import { expect, it } from 'vitest';

/** The output of Vitest's JSON reporter, as far as it is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

const root = resolve(import.meta.dirname, '../..');

it('passes the tests of the SQLite example on Node 24', async () => {
  const node = await nodeProgram('24.21.0');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const tests = ['run', '--project', 'unit*', 'examples/test/sqlite-leadership'];
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const { stdout } = await promisify(execFile)(node, [vitest, ...tests, '--reporter=json'], {
    cwd: root,
    env: Object.fromEntries(own),
  }).catch((failed: { readonly stdout: string }) => failed);
  const report = JSON.parse(stdout.slice(stdout.indexOf('{"num'))) as Report;
  const failures = report.testResults.flatMap(({ message, assertionResults }) => [
    message,
    ...assertionResults.flatMap(({ fullName, failureMessages = [] }) =>
      failureMessages.map((text) => `${fullName}: ${text}`),
    ),
  ]);
  expect(failures.filter((text) => text !== '')).toEqual([]);
  // The checks of the conformance suite, and those of the example itself.
  expect(report.numPassedTests).toBeGreaterThan(40);
});
