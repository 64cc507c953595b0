// Tests the option `log` with the loggers that its documentation names: the output of each one for
// work that throws.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);

/** Returns a user's program. `logger` is the expression that creates the logger. */
const program = (imports: string, logger: string): string => `
${imports}
import { openLeadership } from '@leadership/core';

const source = await openLeadership('memory:billing?partitions=1', { member: 'one', log: ${logger} });
async function sendInvoices() {
  throw new Error('the printer is on fire');
}
await source.role('invoices').lead(sendInvoices, { onThrow: 'reject' }).catch(() => undefined);
await source.close();
`;

/**
 * Runs the program where the packages are installed. Resolves with the lines of its standard output
 * and standard error.
 */
async function printed(imports: string, logger: string): Promise<readonly string[]> {
  const args = ['--input-type=module', '--eval', program(imports, logger)];
  const { stdout, stderr } = await run(process.execPath, args, {
    cwd: resolve(import.meta.dirname, '..'),
  });
  return `${stdout}${stderr}`.trim().split('\n');
}

/** A record of a logger that prints JSON. */
interface LogRecord {
  readonly level: unknown;
  /** The text, in winston's records. */
  readonly message?: string;
  /** The text, in pino's records. */
  readonly msg?: string;
}

const recordIn = (line: string): LogRecord => JSON.parse(line);

describe('an error of work is printed once with its stack, and once when it is resolved', () => {
  const trouble =
    /^LEADERSHIP_WORK_FAILED group "billing", member "one": work threw in partition 0: the printer is on fire; .*\nError: the printer is on fire\n {4}at sendInvoices /;
  const mended =
    /^LEADERSHIP_WORK_FAILED group "billing", member "one": mended: work threw in partition 0: the printer is on fire/;

  it('by pino, in one line each', async () => {
    const [first, second, ...others] = (await printed("import pino from 'pino';", 'pino()')).map(
      recordIn,
    );
    expect(first).toMatchObject({ level: 50, msg: expect.stringMatching(trouble) });
    expect(second).toMatchObject({ level: 30, msg: expect.stringMatching(mended) });
    expect(others).toEqual([]);
  });

  it('by winston, in one line each', async () => {
    const logger = 'winston.createLogger({ transports: [new winston.transports.Console()] })';
    const [first, second, ...others] = (
      await printed("import winston from 'winston';", logger)
    ).map(recordIn);
    expect(first).toMatchObject({ level: 'error', message: expect.stringMatching(trouble) });
    expect(second).toMatchObject({ level: 'info', message: expect.stringMatching(mended) });
    expect(others).toEqual([]);
  });

  it('by the console', async () => {
    const lines = await printed('', 'console');
    const text = lines.join('\n');
    expect(text).toMatch(new RegExp(trouble.source, 'm'));
    expect(text).toMatch(new RegExp(mended.source, 'm'));
    expect(lines.filter((line) => line.startsWith('LEADERSHIP_'))).toHaveLength(2);
  });
});
