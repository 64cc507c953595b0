// A child process of import-cost: imports the given modules one after the other and reports the
// time. It imports nothing else, because that might load one of these modules before the
// measurement begins.
import type { Imported } from '../cost/import-cost.ts';

const { specifiers } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly specifiers: readonly string[];
};
const began = performance.now();
const before = process.cpuUsage();
for (const specifier of specifiers) await import(specifier);
const { user, system } = process.cpuUsage(before);
const imported: Imported = {
  kind: 'imported',
  ms: performance.now() - began,
  cpuMs: (user + system) / 1000,
};
process.send?.(imported, () => process.disconnect());
