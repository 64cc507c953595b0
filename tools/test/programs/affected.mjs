// Prints as JSON which long simulations a change of each file affects, as `vitest --changed` finds them
// for `.ci/run`: `node affected.mjs FILE …`, in the folder of the repository.
import { relative, resolve } from 'node:path';
import process from 'node:process';
import { createVitest } from 'vitest/node';

const vitest = await createVitest('test', { project: ['long-simulation'], watch: false });
const affected = {};
for (const file of process.argv.slice(2)) {
  vitest.config.related = [resolve(file)];
  const specifications = await vitest.getRelevantTestSpecifications();
  affected[file] = specifications.map(({ moduleId }) => relative(process.cwd(), moduleId));
}
console.log(JSON.stringify(affected));
await vitest.close();
