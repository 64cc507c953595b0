import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { expect, it } from 'vitest';

const specifier = /(?:\bfrom\s*|\bimport\s*\(\s*|^import\s*)(['"])([^'"]+)\1/gm;

/** Returns what the modules of a folder import from outside the folder. */
function imports(folder: URL, ending: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith(ending),
  );
  expect(files.length).toBeGreaterThan(5);
  const named = files.flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(specifier)].map(
      (match) => match[2] ?? '',
    ),
  );
  return [...new Set(named)].filter((name) => !name.startsWith('.')).sort();
}

const built = new URL('../lib/', import.meta.url);

it.each([
  ['sources', new URL('../src/', import.meta.url), '.ts'],
  ...(existsSync(built) ? ([['build', built, '.js']] as const) : []),
] as const)('core imports nothing but rxjs and the platform (%s)', (_, folder, ending) => {
  const foreign = imports(folder, ending).filter((name) => name !== 'rxjs' && !isBuiltin(name));
  // Comments contain package names in examples; only imports count.
  expect(foreign).toEqual([]);
});
