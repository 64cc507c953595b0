// `npm run prove`: searches all states of the models in `models/` with Spin, a model checker. A
// world is a model with its constants; none may violate a rule. A mutant is a model with one
// deliberate mistake; each must violate one. The program prints one line of JSON for each search.
import { parseArgs } from 'node:util';
import { searchWorld } from './search-world.ts';
import { missingPrograms } from './spin.ts';
import { type World, worlds } from './worlds.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    required: { type: 'boolean', default: false },
  },
});

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

function chosen(): World[] {
  if (positionals.length === 0) return worlds.filter((world) => values.all || !world.isLong);
  return positionals.map((name) => {
    const world = worlds.find((candidate) => candidate.name === name);
    if (world) return world;
    throw new Error(`unknown world ${name}. Known: ${worlds.map((known) => known.name).join()}`);
  });
}

/** Returns how many searches went wrong. */
async function prove(world: World): Promise<number> {
  // A long world that is stopped after this time is not exhausted.
  const limits = world.isLong
    ? { memoryMb: 6000, seconds: 1800 }
    : { memoryMb: 4000, seconds: 120 };
  let failures = 0;
  for await (const { record, failure } of searchWorld(world, limits, stop.signal)) {
    console.log(JSON.stringify(record));
    if (failure === undefined) continue;
    failures++;
    console.error(`prove: ${failure}`);
  }
  return failures;
}

const missing = await missingPrograms();
if (missing.length > 0) {
  console.error(`prove: skipped, because ${missing.join(' and ')} is not on the path`);
  process.exitCode = values.required ? 1 : 0;
} else {
  let failures = 0;
  for (const world of chosen()) failures += await prove(world);
  process.exitCode = failures === 0 ? 0 : 1;
}
