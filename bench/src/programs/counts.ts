// A child process of the counts: counts the costs of all operations and reports them.
import { type Cost, countCost } from '../counts/count.ts';
import { operations } from '../counts/operations.ts';

const costs: Record<string, Cost> = {};
for (const [name, prepare] of Object.entries(operations))
  costs[name] = await countCost(await prepare());
process.stdout.write(JSON.stringify(costs));
process.exit(0);
