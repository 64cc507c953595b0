// Searches one model of `npm run prove`, and each of its mutants.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Mutant, mutantsIn } from './model-text.ts';
import type { SearchResult } from './pan-output.ts';
import { compile, type Limits, search } from './spin.ts';
import type { World } from './worlds.ts';

const models = resolve(import.meta.dirname, '../../../models');

/** One search, as it is printed. */
export interface SearchRecord extends SearchResult {
  readonly model: string;
  readonly world: string;
  readonly mutant?: string;
  readonly options: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/** Searches a world without a mistake, then with each of its mutants. */
export async function* searchWorld(
  world: World,
  limits: Limits,
  signal: AbortSignal,
): AsyncGenerator<{ record: SearchRecord; failure: string | undefined }> {
  const path = join(models, `${world.model}.pml`);
  const known = mutantsIn(await readFile(path, 'utf8'));
  const mutants = world.mutants.map((name) => {
    const mutant = known.find((candidate) => candidate.name === name);
    if (!mutant) throw new Error(`${path} has no mutant ${name}`);
    return mutant;
  });
  const folder = await mkdtemp(join(tmpdir(), 'leadership-prove-'));
  try {
    await compile(folder, path, world, limits, signal);
    for (const mutant of [undefined, ...mutants]) {
      const began = performance.now();
      const result = await search(folder, mutant?.number ?? 0, limits, signal);
      const record = {
        model: world.model,
        world: world.name,
        ...(mutant ? { mutant: mutant.name } : {}),
        options: world.options,
        ...result,
        seconds: Math.round((performance.now() - began) / 100) / 10,
      };
      yield { record, failure: failureOf(world, mutant, result) };
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function failureOf(
  { name, isLong }: World,
  mutant: Mutant | undefined,
  { violation, exhausted }: SearchResult,
): string | undefined {
  if (mutant) return violation ? undefined : `world ${name}: the mutant ${mutant.name} survives`;
  if (violation) return `world ${name}: ${violation}`;
  return exhausted || isLong ? undefined : `world ${name} is not exhausted`;
}
