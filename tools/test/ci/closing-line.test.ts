import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const program = resolve(import.meta.dirname, '../../closing-line.mjs');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'closing-line-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the closing line of a CI run', () => {
  test('counts passed, failed and skipped tests, and lists skipped tests with their reasons', () => {
    write({ passed: 3, failed: 0 }, [
      { title: 'works', status: 'passed' },
      {
        title: 'succession-after-cut: When a leader is lost …',
        status: 'skipped',
        meta: { skipReason: 'x cannot inject: cut' },
      },
      { title: 'reads a disk that hangs', status: 'skipped' },
    ]);
    const { lines, status } = close(0);
    expect(lines).toContain('  x cannot inject: cut: succession-after-cut');
    expect(lines).toContain('  no reason given: reads a disk that hangs');
    expect(lines.at(-1)).toBe('10 passed, 0 failed, 2 skipped');
    expect(status).toBe(0);
  });

  test('fails if a test or a step failed, or if a run ended without a report', () => {
    write({ passed: 3, failed: 2 }, []);
    expect(close(1)).toMatchObject({ status: 1 });
    expect(close(1).lines.at(-1)).toBe('10 passed, 2 failed, 0 skipped');
    rmSync(join(folder, 'quick.json'));
    rmSync(join(folder, 'rest.json'));
    expect(close(1).lines.at(-1)).toBe('7 passed, 1 failed, 0 skipped');
  });

  test('says of a test that timed out how long it took, because its stack says only where it stands', () => {
    write({ passed: 3, failed: 1 }, [
      {
        title: 'elects',
        fullName: 'a group > elects',
        status: 'failed',
        failureMessages: ['Error: STACK_TRACE_ERROR\n    at y.test.ts:7:3'],
        duration: 600_012.3,
      },
    ]);
    expect(close(1).lines).toContain('  Error: the test timed out after 600 s');
  });

  test('lists failed tests, files and steps with their messages before the last line', () => {
    write({ passed: 3, failed: 1 }, [
      {
        title: 'elects',
        fullName: 'a group > elects',
        status: 'failed',
        failureMessages: ['AssertionError: expected 1 to be 2\n    at y.test.ts:7:3'],
      },
    ]);
    const broken = {
      name: 'packages/x/test/z.test.ts',
      status: 'failed',
      message: 'Cannot find module q',
      assertionResults: [],
    };
    const rest = { numPassedTests: 0, numFailedTests: 0, testResults: [broken] };
    writeFileSync(join(folder, 'rest.json'), JSON.stringify(rest));
    const check = 'FAILED  unused files (3.0 s)\ncheck: 6 of 7 steps passed\n';
    writeFileSync(join(folder, 'check.txt'), check);
    expect(close(0).lines).toEqual([
      'failed in packages/x/test/y.test.ts: a group > elects',
      '  AssertionError: expected 1 to be 2',
      '      at y.test.ts:7:3',
      'failed in packages/x/test/z.test.ts: the file',
      '  Cannot find module q',
      'failed in npm run check: unused files (3.0 s)',
      '  its output is above',
      '8 passed, 3 failed, 0 skipped',
    ]);
  });

  test('fails if more tests are skipped than expected', () => {
    const skipped = Array.from({ length: 1000 }, (_, index) => ({
      title: `test ${index}`,
      status: 'skipped',
    }));
    write({ passed: 3, failed: 0 }, skipped);
    const { lines, status } = close(0);
    expect(lines.at(-2)).toContain('1000 tests were skipped');
    expect(lines.at(-1)).toBe('10 passed, 1 failed, 1000 skipped');
    expect(status).toBe(1);
  });
});

function write(
  { passed, failed }: { readonly passed: number; readonly failed: number },
  assertionResults: readonly object[],
): void {
  const testResults = [{ name: 'packages/x/test/y.test.ts', status: 'passed', assertionResults }];
  const quick = { numPassedTests: passed - 1, numFailedTests: failed, testResults };
  const rest = { numPassedTests: 1, numFailedTests: 0, testResults: [] };
  writeFileSync(join(folder, 'quick.json'), JSON.stringify(quick));
  writeFileSync(join(folder, 'rest.json'), JSON.stringify(rest));
  writeFileSync(join(folder, 'check.txt'), 'ok  build\ncheck: 7 of 7 steps passed\n');
}

function close(failures: number): {
  readonly lines: readonly string[];
  readonly status: number | null;
} {
  const { stdout, status } = spawnSync(process.execPath, [program, folder, String(failures)], {
    encoding: 'utf8',
  });
  return { lines: stdout.trimEnd().split('\n'), status };
}
