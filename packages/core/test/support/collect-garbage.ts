import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { turn } from './manual-clock.ts';

let collect: (() => void) | undefined;

/** Collects garbage several times, because finalizers release memory one turn of the loop later. */
export async function collectGarbage(): Promise<void> {
  collect ??= collector();
  for (let round = 0; round < 5; round += 1) {
    await turn();
    collect();
  }
}

/** Returns V8's collector, as Node's option --expose-gc offers it. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
