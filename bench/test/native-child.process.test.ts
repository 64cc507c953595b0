import { expect, it } from 'vitest';
import { startNativeChild } from '../src/process/native-child.ts';

type Echoed = { readonly kind: 'ready' } | { readonly kind: 'echo'; readonly of: string } | { readonly kind: 'never' };

/** Says a line of JSON for every line it hears, and ends where its input does. */
const echo = `
  const say = (told) => process.stdout.write(JSON.stringify(told) + '\\n');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (of) => (of === 'end' ? process.exit(3) : say({ kind: 'echo', of })));
  say({ kind: 'ready' });
`;

it('talks in lines with a program that is none of ours', async () => {
  await using child = startNativeChild<Echoed>(process.execPath, ['-e', echo]);
  await child.next('ready');
  const heard = child.next('echo');
  child.tell({ kind: 'cpu' });
  expect(await heard).toEqual({ kind: 'echo', of: 'cpu' });
});

it('says how a program ended that is waited for', async () => {
  await using child = startNativeChild<Echoed>(process.execPath, ['-e', echo]);
  await child.next('ready');
  const waiting = child.next('never');
  child.tell({ kind: 'end' });
  await expect(waiting).rejects.toThrow('never said "never": it ended (exit code 3)');
});

it('complains where there is no such program', async () => {
  await using child = startNativeChild<Echoed>('no-such-program-anywhere', []);
  await expect(child.next('ready')).rejects.toThrow('never said "ready"');
});
