// The child process of the counted costs: counts the costs of all operations and sends them to
// `bench/src/counts/main.ts`.
import { type Cost, countCost } from '../counts/count.ts';
import { operations } from '../counts/operations.ts';

const costs: Record<string, Cost> = {};
for (const [name, prepare] of Object.entries(operations))
  costs[name] = await countCost(await prepare());
process.stdout.write(JSON.stringify(costs));
process.exit(0);
