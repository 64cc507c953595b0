import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';

// `.ci/run` leaves out the long simulations that a change cannot affect. Vitest finds the others by
// imports, and would miss one that reaches what it drives in another way.
const repository = resolve(import.meta.dirname, '../../..');
const program = join(import.meta.dirname, '../programs/affected.mjs');

const rows = ['relation/mutants', 'rows/mutants', 'rows/world', 'search/rows/exhaustive'];
const shells = ['shell/mutants', 'shell/world'];
const induction = ['induction/mutants', 'induction/world'];
const nerio = ['nerio/mutants', 'nerio/world', 'search/nerio/exhaustive'];
const gossip = ['scuttlebutt/mutants', 'scuttlebutt/world'];
const all = [...rows, ...shells, ...induction, ...nerio, ...gossip];

/** Simulations that a change of a file affects, and others that it cannot affect. */
const uses: readonly (readonly [
  file: string,
  does: readonly string[],
  cannot: readonly string[],
])[] = [
  ['packages/core/src/lease/step.ts', [...rows, ...shells], [...nerio, ...gossip]],
  ['packages/core/src/source/source.ts', shells, nerio],
  ['packages/core/src/time/instant.ts', all, []],
  ['packages/induction/src/protocol/step.ts', induction, [...rows, ...nerio, ...gossip]],
  ['packages/nerio/src/protocol/step.ts', nerio, [...rows, ...induction, ...gossip]],
  ['packages/scuttlebutt/src/protocol/step.ts', gossip, [...rows, ...induction, ...nerio]],
  ['simulation/src/rows/world.ts', ['rows/world', ...shells], [...induction, ...nerio, ...gossip]],
  ['package-lock.json', all, []],
  ['vitest/register.mjs', all, []],
  ['packages/redis/src/rows.ts', [], all],
];

let affected: Readonly<Record<string, readonly string[]>> = {};
beforeAll(async () => {
  const files = uses.map(([file]) => file);
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...files], {
    cwd: repository,
  });
  affected = JSON.parse(stdout);
});

test.each(uses)('a change of %s runs the simulations that it affects', (file, does, cannot) => {
  const isAffected = (name: string): boolean | undefined =>
    affected[file]?.includes(`simulation/test/${name}.long.test.ts`);
  expect(does.filter((name) => isAffected(name) !== true)).toEqual([]);
  expect(cannot.filter((name) => isAffected(name) !== false)).toEqual([]);
});
