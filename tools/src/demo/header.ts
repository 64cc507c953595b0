// The lines with which the demo begins in a terminal or a file.
import type { Setup } from './demo-event.ts';
import { type Line, span } from './line.ts';

/** The backends whose members vote, and have no store. */
const voting: readonly string[] = ['nerio', 'gossip'];

/** Returns why no member leads at once. */
function waitOf(backend: string): string {
  return voting.includes(backend)
    ? 'A voter that starts may have voted in an earlier life, so no member leads before T has passed.'
    : 'An empty store may have been deleted under a leader, so no member leads before T has passed.';
}

/** Returns the lines that begin the demo: the setup and the guarantee. */
export function headerLines({
  backend,
  home,
  members,
  thresholdMs,
  guarantees,
  command,
}: Setup): readonly Line[] {
  const title = span(
    `${members.length} members on the ${backend} backend, in ${home}; T is ${thresholdMs} ms.`,
    'bold',
  );
  const promise = span(
    `Guarantee: one leader at a time, and a new leader within ${guarantees.failoverMsMax} ms of a crash.`,
  );
  const wait = span(waitOf(backend), 'dim');
  return [
    [],
    [span('  '), title],
    [span('  '), promise],
    [span('  '), wait],
    [span('  '), span(`Each runs: ${command}`)],
    [],
  ];
}
