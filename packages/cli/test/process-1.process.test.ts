import { fileURLToPath } from 'node:url';
import { nodeProgram } from '@leadership/tools/node-program';
import { describe, expect, it } from 'vitest';
import { canContain, containing, startCommand } from './support/command.ts';
import { temporaryGroup } from './support/group.ts';

const init = fileURLToPath(new URL('../init.sh', import.meta.url));

/**
 * Leaves three processes without a parent, waits until they have ended and no zombie is left,
 * and then sends a signal to process 1, which must come back. Exit code 9: the zombies stay.
 */
const orphans = `
  trap 'exit 7' TERM
  file=$(mktemp)
  for i in 1 2 3; do ( (sleep 0.1; echo $i >> $file) & ) ; done
  until [ $(wc -l < $file) = 3 ]; do sleep 0.05; done
  rm $file
  polls=0
  while grep -qs '^State:.Z' /proc/[0-9]*/status; do
    polls=$((polls + 1)); [ $polls -lt 200 ] || exit 9
    sleep 0.05
  done
  kill -TERM 1
  while :; do sleep 0.05; done
`;

describe.runIf(canContain)('as process 1 of a container', () => {
  it.each([
    ['Node with process.execve', '22.23.3', []],
    ['below the script init.sh', '20.20.2', ['sh', init]],
  ] as const)(
    'guard and run reap orphans, pass signals on and keep the exit code: %s',
    async (_, version, below) => {
      const node = await nodeProgram(version);
      await using group = await temporaryGroup(2000);
      const commands = [['guard'], ['run', group.url, '--role', 'job']];
      await Promise.all(
        commands.map(async (args) => {
          const wrapper = [...containing, ...below];
          const all = [...args, '--', 'sh', '-c', orphans];
          await using command = startCommand(all, {}, wrapper, node);
          expect(await command.ended, command.stderr()).toBe(7);
          expect(command.stderr()).not.toContain('reap');
        }),
      );
    },
  );

  it('guard says so where it cannot reap', async () => {
    const node = await nodeProgram('20.20.2');
    await using command = startCommand(['guard', '--', 'true'], {}, containing, node);
    expect(await command.ended).toBe(0);
    expect(command.stderr()).toContain('cannot reap ended processes');
  });
});
