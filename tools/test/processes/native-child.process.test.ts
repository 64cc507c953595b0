import { expect, it } from 'vitest';
import { startNativeChild } from '../../src/processes/native-child.ts';

type Echoed =
  | { readonly kind: 'ready' }
  | { readonly kind: 'echo'; readonly of: string }
  | { readonly kind: 'never' };

/**
 * A program that writes a line of JSON for every line that it reads, and exits when its input ends.
 */
const echo = `
  const say = (told) => process.stdout.write(JSON.stringify(told) + '\\n');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (of) => (of === 'end' ? process.exit(3) : say({ kind: 'echo', of })));
  say({ kind: 'ready' });
`;

it('exchanges lines with a native program', async () => {
  await using child = startNativeChild<Echoed>(process.execPath, ['-e', echo]);
  await child.next('ready');
  const reply = child.next('echo');
  child.send({ kind: 'cpu' });
  expect(await reply).toEqual({ kind: 'echo', of: 'cpu' });
});

it('rejects with the exit code if the program ends before the awaited message', async () => {
  await using child = startNativeChild<Echoed>(process.execPath, ['-e', echo]);
  await child.next('ready');
  const waiting = child.next('never');
  child.send({ kind: 'end' });
  await expect(waiting).rejects.toThrow('did not report "never": it ended (exit code 3)');
});

it('rejects if the program does not exist', async () => {
  await using child = startNativeChild<Echoed>('no-such-program-anywhere', []);
  await expect(child.next('ready')).rejects.toThrow('did not report "ready"');
});
