// Parses the command line of the demo.
import { parseArgs } from 'node:util';
import { groupOpeners } from './groups.ts';

/** The command-line options. */
export interface Settings {
  readonly backend: string;
  /** How many times the leader crashes. */
  readonly trials: number;
  readonly json: boolean;
  /** The port of the page, 0 for any; absent without a page. */
  readonly web?: number;
}

export const usage: string = `usage: npm start -- [--backend ${Object.keys(groupOpeners).join('|')}] [--trials N] [--json] [--web [--port N]]`;

/** An upper limit for `--trials`. Runs with more crashes belong in the soak tests. */
const trialsMax = 1000;

/** Parses `args`. Returns the settings, `help`, or a sentence that states what is wrong. */
export function settingsFrom(args: readonly string[]): Settings | string | 'help' {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        backend: { type: 'string', default: 'file' },
        trials: { type: 'string', default: '3' },
        json: { type: 'boolean', default: false },
        web: { type: 'boolean', default: false },
        port: { type: 'string', default: '0' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    const settings = checked(values.backend, values.trials, values.json);
    if (!values.web || typeof settings === 'string') return settings;
    return withWeb(settings, values.port);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function checked(backend: string, text: string, json: boolean): Settings | string {
  const known = new Intl.ListFormat('en').format(Object.keys(groupOpeners));
  if (!Object.hasOwn(groupOpeners, backend))
    return `unknown backend "${backend}": known are ${known}`;
  const trials = Number(text);
  if (/^\d+$/.test(text) && trials <= trialsMax) return { backend, trials, json };
  return `--trials ${text} must be a whole number from 0 to ${trialsMax}`;
}

function withWeb(settings: Settings, text: string): Settings | string {
  if (settings.json) return '--web shows a page, so it excludes --json';
  const web = Number(text);
  if (/^\d+$/.test(text) && web <= 65_535) return { ...settings, web };
  return `--port ${text} must be a port, from 0 to 65535`;
}
