// Finds the public entry points of a package, each of which gets an API report.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry point of a package: a key of its `exports`, and the declarations behind it. */
export interface EntryPoint {
  /** The report's file name without its extension: `core` for `.`, `core-adapter` for `./adapter`. */
  readonly report: string;
  /** The absolute path of the built `.d.ts` file. */
  readonly declarations: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
}

/**
 * Returns every entry point in the manifest of the package in `folder`, so that new entry points
 * get a report too. Internal entry points have none: their exports are not promised (decision
 * 0059).
 */
export function entryPoints(folder: string): readonly EntryPoint[] {
  const { name, exports } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Manifest;
  const unscoped = name.replace(/^@[^/]*\//, '');
  const promised = Object.entries(exports).filter(
    ([subpath]) => !/^\.\/internal(\/|$)/.test(subpath),
  );
  return promised.map(([subpath, { types }]) => ({
    report: [unscoped, ...subpath.split('/').slice(1)].join('-'),
    declarations: join(folder, types),
  }));
}
