// The scripts of `leadership completion`, in the shells themselves.
import process from 'node:process';
import { hasShell } from '@leadership/tools/shells';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCommand } from './support/command.ts';
import { fishShell, type Shell, terminalShell } from './support/shell.ts';

const shells = [
  ['bash', () => terminalShell('bash')],
  ['bash-completion', () => terminalShell('bash-completion')],
  ['zsh', () => terminalShell('zsh')],
  ['fish', async () => fishShell()],
] as const;

/** The names of all commands, and the long options of each, from the help texts. */
let known: ReadonlyMap<string, readonly string[]>;
beforeAll(async () => {
  known = await helpTexts();
});

async function helpTexts(): Promise<ReadonlyMap<string, readonly string[]>> {
  const help = async (...args: readonly string[]): Promise<string> => {
    await using command = startCommand([...args, '--help']);
    await command.ended;
    return command.stdout();
  };
  const [, list = ''] = (await help()).split('Commands:\n');
  const names = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name);
  const options = await Promise.all(
    names.map(async (name) => {
      const text = name === 'help' ? '' : await help(name);
      return [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option = '']) => option);
    }),
  );
  return new Map(names.map((name, index) => [name, options[index] ?? []]));
}

// The program `script` of other systems has other options.
describe.runIf(process.platform === 'linux').each(shells)('in %s', (name, start) => {
  describe.runIf(hasShell(name))('a script of leadership completion', () => {
    let shell: Shell;
    beforeAll(async () => {
      shell = await start();
    });
    afterAll(() => shell[Symbol.asyncDispose]());

    it.each([
      ['leadership stat', 'status'],
      ['leadership --vers', '--version'],
      ['leadership completion fi', 'fish'],
      ['leadership help doc', 'doctor'],
      ['leadership status file:x --qui', '--quiet'],
      ["leadership status 'redis://h?group=g' --role a --jso", '--json'],
      ['leadership watch file:x --role a --role b --tim', '--timeout'],
      ['leadership guard --listen zebra-fo', 'zebra-folder'],
      ['leadership guard -- zebra-co', 'zebra-command'],
      ['leadership run --role job -- zebra-command zebra-fi', 'zebra-file'],
    ])('completes %s to %s', async (line, last) => {
      // A shell may add a slash to the name of a folder.
      expect((await shell.completed(line)).at(-1)?.replace(/\/$/, '')).toBe(last);
    });

    it('completes the arguments of the command after -- as it would without leadership', async () => {
      // Bash alone knows no completion of other commands there, and offers files.
      const last = name === 'bash' ? 'zs' : 'zsh';
      const line = 'leadership run --role job -- leadership completion zs';
      expect((await shell.completed(line)).at(-1)).toBe(last);
    });

    it('offers nothing for a value that no shell can know, or after a wrong command', async () => {
      for (const line of [
        'leadership status --role zebra-',
        'leadership run --role job --wait zebra-',
        'leadership status --role=zebra-',
        'leadership nothing zebra-',
        'leadership resign --rest',
      ]) {
        expect((await shell.completed(line)).at(-1), line).toMatch(
          /^(?:--role=)?(?:zebra-|--rest)$/,
        );
      }
    });

    it('knows every command and every option that the help texts list', async () => {
      expect(known.size).toBeGreaterThan(7);
      for (const [command, options] of known) {
        const [shown] = await shell.completed(`leadership ${command.slice(0, -1)}`);
        expect(shown).toBe(command);
        for (const option of options) {
          const words = await shell.completed(`leadership ${command} ${option.slice(0, -1)}`);
          expect(words.at(-1), `${command} ${option}`).toBe(option);
        }
      }
    });
  });
});

it('completion names the shells that have a script, and exits with 2 for another', async () => {
  await using command = startCommand(['completion', 'tcsh']);
  expect(await command.ended).toBe(2);
  expect(command.stderr()).toContain('Allowed choices are bash, zsh, fish');
  expect(command.stdout()).toBe('');
});
