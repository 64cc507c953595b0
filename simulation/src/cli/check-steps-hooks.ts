// Replaces the machine that the engine calls in the bundle of core, as it is loaded.
import type { LoadHook } from 'node:module';

/** The calls of the two machines: in the driver of a partition, and in the shell of a member. */
const calls: readonly (readonly [call: RegExp, checked: string])[] = [
  [
    /(\bstep: \(state, input, moment\) => )step(?:\$\d+)?(\(rules, state, input, moment\))/,
    '$1globalThis.checkedStep$2',
  ],
  [
    /(\bstep: \(state, input, moment\) => \(\{\s+state,\s+\.\.\.)step(?:\$\d+)?(\(state, input, moment\))/,
    '$1globalThis.checkedLeaseStep$2',
  ],
];

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (!url.endsWith('/core/lib/core.js')) return loaded;
  let source = String(loaded.source);
  for (const [call, checked] of calls) {
    if (!call.test(source)) throw new Error(`${url} does not call a machine: ${call}`);
    source = source.replace(call, checked);
  }
  return { ...loaded, source };
};
