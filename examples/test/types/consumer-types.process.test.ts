import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { npmPackage } from '@leadership/tools/npm-package';
import { describe, expect, it } from 'vitest';

const project = join(import.meta.dirname, 'tsconfig.json');
const nodenext = ['--module', 'nodenext'];
const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler'];

describe('the published declarations', () => {
  it.each([
    ['5.4.5', nodenext],
    ['5.9.3', bundler],
    ['6.0.3', nodenext],
  ])(
    'accept a correct application and reject misspelled options, with TypeScript %s and %j',
    async (version, resolution) => {
      const typescript = await npmPackage('typescript', version);
      const run = promisify(execFile)(process.execPath, [
        join(typescript, 'bin/tsc'),
        '-p',
        project,
        ...resolution,
      ]);
      const complaints = await run.then(
        () => '',
        ({ stdout }: { readonly stdout: string }) => stdout,
      );
      expect(complaints).toBe('');
    },
  );

  it.each(['kafka', 'kinesis'])(
    'of %s pass a compiler that checks declarations where the optional packages are missing',
    async (name) => {
      const home = resolve(import.meta.dirname, '../../../packages', name);
      const manifest: unknown = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
      const { peerDependenciesMeta } = manifest as {
        readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
      };
      const optional = Object.keys(peerDependenciesMeta).filter(
        (peer) => peerDependenciesMeta[peer]?.optional,
      );
      expect(optional).not.toEqual([]);
      const imported = await importsFrom(join(home, 'dist/index.d.ts'));
      expect(imported.length).toBeGreaterThan(10);
      // An ignored import that cannot be resolved has the type `any`.
      expect(
        imported.filter(({ from, isIgnored }) => optional.includes(from) && !isIgnored),
      ).toEqual([]);
    },
  );
});

interface Import {
  readonly by: string;
  readonly from: string;
  readonly isIgnored: boolean;
}

/** Returns the imports of a declaration file and of all that it imports by a relative path. */
async function importsFrom(
  file: string,
  seen: Set<string> = new Set(),
): Promise<readonly Import[]> {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = await readFile(file, 'utf8');
  const found = [
    ...text.matchAll(/^(\/\*\* @ts-ignore.*\n)?(?:import|export)\b[^;]*? from '([^']+)'/gm),
  ];
  const own = found.map(([, ignored, from = '']) => ({
    by: file,
    from,
    isIgnored: ignored !== undefined,
  }));
  const next = own
    .filter(({ from }) => from.startsWith('.'))
    .map(({ from }) => resolve(dirname(file), from.replace(/\.(js|ts)$/, '.d.ts')));
  const deeper = await Promise.all(next.map((one) => importsFrom(one, seen)));
  return [...own, ...deeper.flat()];
}
