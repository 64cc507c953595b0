import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stateStoreIn } from '../../src/source/state-store.ts';
import type { StoredState } from '../../src/source/stored-state.ts';
import { epochOf } from '../support/test-members.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const image: StoredState = {
  format: 1,
  group: 'g',
  member: 'a',
  life: 7,
  hardState: { epoch: { ...epochOf(['a', 'b']), tokens: [2n ** 62n] }, wedge: undefined },
};

test('an image is read as it was written, including big integers', async () => {
  const store = stateStoreIn(join(directory, 'made'), 'g', 'a');
  expect(await store.read()).toBeUndefined();
  await store.write(image);
  expect(await store.read()).toEqual(image);
  await store.write({ ...image, life: 8 });
  expect(await store.read()).toMatchObject({ life: 8 });
});

test('each member of each group has a file of its own, and the next start removes the temporary files of a killed process', async () => {
  await stateStoreIn(directory, 'g', 'a').write(image);
  await stateStoreIn(directory, 'g', 'b').write({ ...image, member: 'b' });
  const [file = ''] = await readdir(directory);
  await writeFile(join(directory, `${file}.aside`), '{"format":1,');
  expect(await readdir(directory)).toHaveLength(3);
  expect(await stateStoreIn(directory, 'g', 'a').read()).toEqual(image);
  expect(await stateStoreIn(directory, 'g', 'b').read()).toMatchObject({ member: 'b' });
  expect(await readdir(directory)).toHaveLength(2);
});

test('a file of another program, or half a file, is refused with the remedy', async () => {
  const store = stateStoreIn(directory, 'g', 'a');
  await store.write({ ...image, group: 'h' });
  await expect(store.read()).rejects.toMatchObject({
    code: 'misconfigured-backend',
    message: expect.stringContaining(
      'holds no state of member "a" of group "g"; restore it, or remove it and start the member with stateLost',
    ) as string,
  });
  const [file = ''] = await readdir(directory);
  await writeFile(join(directory, file), '{"format":1,');
  await expect(store.read()).rejects.toMatchObject({ code: 'misconfigured-backend' });
});

test('an impossible directory is refused without a retry', async () => {
  await writeFile(join(directory, 'file'), '');
  await expect(stateStoreIn(join(directory, 'file'), 'g', 'a').read()).rejects.toMatchObject({
    code: 'misconfigured-backend',
  });
});
