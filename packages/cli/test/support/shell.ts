// Real shells that complete a command line, as after the key Tab.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { bashCompletion } from '@leadership/tools/shells';

const program = fileURLToPath(new URL('../../lib/main.js', import.meta.url));

/** A shell that has read the script which `leadership completion` prints for it. */
export interface Shell extends AsyncDisposable {
  /** Returns the words after `leadership` once the shell has completed this command line. */
  completed(line: string): Promise<readonly string[]>;
}

/** A temporary directory with `leadership` and `zebra-command` on the path, a folder and a file. */
class Place implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'leadership-shell-'));
  readonly env: NodeJS.ProcessEnv;

  constructor() {
    const bin = join(this.directory, 'bin');
    for (const folder of ['bin', 'zebra-folder']) mkdirSync(join(this.directory, folder));
    const wrapper = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`;
    writeFileSync(join(bin, 'leadership'), wrapper, { mode: 0o755 });
    writeFileSync(join(bin, 'zebra-command'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(this.directory, 'zebra-file'), '');
    const path = [bin, process.env['PATH']].join(delimiter);
    // Without a home, no shell reads or writes the settings of the user. Without a file for it, bash writes
    // no history when its terminal ends: that would come into the directory while it is being removed.
    this.env = {
      ...process.env,
      PATH: path,
      HOME: this.directory,
      TERM: 'dumb',
      HISTFILE: '',
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

const printing = `leadership() { printf '[%s]' "$@"; echo '[.]'; }`;

/** What each shell does before it completes. `leadership` then prints its arguments. */
const beginnings = {
  bash: ['bash --norc --noprofile -i', 'PS1=; eval "$(leadership completion bash)"', printing],
  'bash-completion': [
    'bash --norc --noprofile -i',
    `PS1=; . ${bashCompletion}; eval "$(leadership completion bash)"`,
    printing,
  ],
  zsh: [
    'zsh -f -i',
    'PS1=; autoload -Uz compinit; compinit -D; eval "$(leadership completion zsh)"',
    printing,
  ],
} as const;

/** Starts bash or zsh on a terminal, on which {@link Shell.completed} presses Tab. */
export async function terminalShell(name: keyof typeof beginnings): Promise<Shell> {
  const place = new Place();
  const [command, ...setup] = beginnings[name];
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: place.directory,
    env: place.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const typed = async (line: string): Promise<string> => {
    output = '';
    child.stdin.write(line);
    const printed = /^(?:\S*\r)?((?:\[[^\]]*\])+)\[\.\]\r?$/m;
    const found = () => printed.exec(output)?.[1];
    return eventually(`${name} completes ${line}`, found, { details: () => `: ${output}` });
  };
  await typed(`${setup.join('; ')}; leadership ready\r`);
  return {
    async completed(line) {
      const printed = await typed(`${line}\t\r`);
      return printed.slice(1, -1).split('][');
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      child.stdin.destroy();
      await exited;
      place[Symbol.dispose]();
    },
  };
}

/** Asks fish, which completes without a terminal. A line with several candidates stays as it is. */
export function fishShell(): Shell {
  const place = new Place();
  return {
    async completed(line) {
      const candidates = fish(place, line);
      const words = line.split(' ').slice(1);
      const [only = words.at(-1) ?? '', ...more] = candidates;
      return [...words.slice(0, -1), more.length === 0 ? only : (words.at(-1) ?? '')];
    },
    async [Symbol.asyncDispose]() {
      place[Symbol.dispose]();
    },
  };
}

function fish({ directory, env }: Place, line: string): readonly string[] {
  const script = 'leadership completion fish | source; complete -C $argv[1]';
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script, line], {
    cwd: directory,
    env,
    encoding: 'utf8',
  });
  if (stderr !== '') throw new Error(`fish: ${stderr}`);
  // The description follows a tab.
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((candidate) => candidate.split('\t')[0] ?? '');
}
