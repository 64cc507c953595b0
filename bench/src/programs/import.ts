// A child of import-cost: imports what it is told to, one after the other, and says how long that took.
import { inputOf, say } from '../process/parent.ts';
import type { Imported } from '../whole/import-cost.ts';

const { specifiers } = inputOf<{ readonly specifiers: readonly string[] }>();
const began = performance.now();
for (const specifier of specifiers) await import(specifier);
await say<Imported>({ kind: 'imported', ms: performance.now() - began });
process.disconnect();
