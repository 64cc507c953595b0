import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const repository = resolve(import.meta.dirname, '../..');
/** The folders whose files share a process, as in `vitest.config.ts`. */
const homes = [
  ...['core', 'kafka', 'scuttlebutt', 'testkit'].map((name) => `packages/${name}/test`),
  'packages/nerio/test/protocol',
  'simulation/test',
];

it('a test file that changes what the files of one process share has a process of its own', () => {
  const files = homes
    .map((home) => join(repository, home))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    );
  const shared = files.filter(
    (file) => file.endsWith('.test.ts') && !/\.(isolated|process|soak)\.test\.ts$/.test(file),
  );
  expect(shared.length).toBeGreaterThan(100);
  const changing = shared.filter((file) =>
    /^\s*(vi\.(do)?mock|process\.chdir|registerBackend)\(/im.test(readFileSync(file, 'utf8')),
  );
  expect(changing).toEqual([]);
});
