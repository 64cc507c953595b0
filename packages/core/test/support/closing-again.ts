import type { LeadershipSource } from '../../src/contract/source.ts';

/** Closes the source again when it is notified of a revocation. Returns the results of those calls. */
export function closingAgain(source: LeadershipSource): readonly Promise<void>[] {
  const closings: Promise<void>[] = [];
  source.role(0).leadership$.subscribe(({ state }) => {
    if (state === 'revoking') closings.push(source.close());
  });
  return closings;
}
