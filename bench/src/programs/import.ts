// A child process of import-cost: imports the given modules one after the other and reports the
// duration.
import { inputOf, report } from '@leadership/tools/processes';
import type { Imported } from '../library/import-cost.ts';

const { specifiers } = inputOf<{ readonly specifiers: readonly string[] }>();
const began = performance.now();
for (const specifier of specifiers) await import(specifier);
await report<Imported>({ kind: 'imported', ms: performance.now() - began });
process.disconnect();
