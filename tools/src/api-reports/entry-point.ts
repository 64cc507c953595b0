import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One public face of a package: a key of its `exports`, and the declarations a consumer gets there. */
export interface EntryPoint {
  /** `core` for `.`, `core-ledger` for `./ledger`: the report's file name without its ending. */
  readonly report: string;
  /** Absolute path of the built `.d.ts`. */
  readonly declarations: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
}

/** Every entry point of the package in `folder`, from its manifest: one that is added there has a report from then on. */
export function entryPoints(folder: string): readonly EntryPoint[] {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const unscoped = name.replace(/^@[^/]*\//, '');
  return Object.entries(exports).map(([subpath, { types }]) => ({
    report: [unscoped, ...subpath.split('/').slice(1)].join('-'),
    declarations: join(folder, types),
  }));
}
