import { parseArgs } from 'node:util';
import { venues } from './backends.ts';

/** What the command line asks for. */
export interface Settings {
  readonly backend: string;
  /** How often the leader is made to crash. */
  readonly trials: number;
  readonly json: boolean;
}

export const usage: string = `usage: npm start -- [--backend ${Object.keys(venues).join('|')}] [--trials N] [--json]`;

/** More crashes than this are a soak, not a demo. */
const trialsMax = 1000;

/** The settings in `args`; a sentence that says what is wrong with them; or `help`. */
export function settingsFrom(args: readonly string[]): Settings | string | 'help' {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        backend: { type: 'string', default: 'file' },
        trials: { type: 'string', default: '3' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values.help ? 'help' : checked(values.backend, values.trials, values.json);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function checked(backend: string, text: string, json: boolean): Settings | string {
  const built = new Intl.ListFormat('en').format(Object.keys(venues));
  if (!Object.hasOwn(venues, backend)) return `no backend is called "${backend}": there are ${built}`;
  const trials = Number(text);
  if (/^\d+$/.test(text) && trials <= trialsMax) return { backend, trials, json };
  return `--trials ${text} must be a whole number from 0 to ${trialsMax}`;
}
