// Replaces the machine that a member calls in the bundle of core, as it is loaded.
import type { LoadHook } from 'node:module';

/** The call of the machine, in the shell of a member. */
const call =
  /(\bstep: \(state, input, moment\) => \(\{\s+state,\s+\.\.\.)step(?:\$\d+)?(\(state, input, moment\))/;

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (!url.endsWith('/core/lib/core.js')) return loaded;
  const source = String(loaded.source);
  if (!call.test(source)) throw new Error(`${url} does not call the machine: ${call}`);
  return { ...loaded, source: source.replace(call, '$1globalThis.checkedStep$2') };
};
