// Bundles what was compiled, once in a run: processes of tests run the bundles, which would be old
// after `tsc -b` alone.
import { existsSync } from 'node:fs';

const program = new URL('../tools/dist/bundle/main.js', import.meta.url);
const done = Symbol.for('leadership.bundled');

export async function setup() {
  globalThis[done] ??= existsSync(program) ? import(program) : Promise.resolve();
  await globalThis[done];
}
