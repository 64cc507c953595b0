import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const program = createRequire(import.meta.url).resolve('@leadership/simulation/check-steps');

/**
 * The environment of a process whose members check every step of its lease against the text
 * of the rules. A wrong step ends the process.
 */
export const checkedSteps: Readonly<Record<string, string>> = {
  NODE_OPTIONS: [
    process.env['NODE_OPTIONS'] ?? '',
    '--conditions=@leadership/internal',
    `--import=${pathToFileURL(program)}`,
  ].join(' '),
};
