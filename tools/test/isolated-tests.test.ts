import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const repository = resolve(import.meta.dirname, '../..');
const packages = readdirSync(join(repository, 'packages')).map((name) => `packages/${name}`);

it('a test file that changes what the files of one process share has a process of its own', () => {
  const files = [...packages, 'examples', 'bench', 'simulation', 'tools']
    .map((home) => join(repository, home, 'test'))
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
