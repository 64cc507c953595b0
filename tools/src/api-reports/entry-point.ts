// Finds the public entry points of a package, each of which gets an API report.
import { join } from 'node:path';
import type { Published } from '../release/packages.ts';

/** An entry point of a package: a key of its `exports`, and the declarations behind it. */
export interface EntryPoint {
  /** The report's file name without its extension: `core` for `.`, `core-adapter` for `./adapter`. */
  readonly report: string;
  /** The absolute path of the built `.d.ts` file. */
  readonly declarations: string;
}

/**
 * Returns every entry point of a package, so that new entry points get a report too. Internal entry
 * points have none: their exports are not promised (decision 0059).
 */
export function entryPoints({ directory, manifest }: Published): readonly EntryPoint[] {
  const unscoped = manifest.name.replace(/^@[^/]*\//, '');
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) => {
    const types = typeof target === 'object' ? target['types'] : undefined;
    if (types === undefined || /^\.\/internal(\/|$)/.test(subpath)) return [];
    const report = [unscoped, ...subpath.split('/').slice(1)].join('-');
    return [{ report, declarations: join(directory, types) }];
  });
}
