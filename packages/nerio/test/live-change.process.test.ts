// Three members become five, and three again, as processes that are cut off, killed and stopped
// meanwhile (N13).
import {
  fileFencedStore,
  type MemberEvent,
  termRecordsOf,
  violationsOf,
} from '@leadership/testkit/faults';
import { expect, test } from 'vitest';
import { changing, grow, partitions, shrink, storeIn } from './support/live-change.ts';

/** How long no member certainly led from then on: the longest period and the sum. Milliseconds. */
function leaderless(
  events: readonly MemberEvent[],
  partition: number,
  sinceNs: bigint,
): { readonly longest: number; readonly all: number } {
  const beliefs = termRecordsOf(events).flatMap((term) =>
    term.partition === partition && term.belief ? [term.belief] : [],
  );
  let ledNs = sinceNs;
  let [longest, all] = [0, 0];
  for (const { fromNs, toNs } of beliefs.sort((a, b) => Number(a.fromNs - b.fromNs))) {
    const gapMs = Math.max(0, Number(fromNs - ledNs) / 1e6);
    longest = Math.max(longest, gapMs);
    all += gapMs;
    if (toNs > ledNs) ledNs = toNs;
  }
  return { longest: Math.round(longest), all: Math.round(all) };
}

test('three processes become five, and three again, under load and faults: never do two lead, and tokens only grow (N13, T1)', async () => {
  await using mesh = await changing();
  const sinceNs = process.hrtime.bigint();
  await grow(mesh, 'm2');
  await shrink(mesh);
  const events = mesh.events();
  expect(violationsOf(termRecordsOf(events)).map(({ message: sentence }) => sentence)).toEqual([]);
  for (let partition = 0; partition < partitions; partition += 1) {
    const { longest, all } = leaderless(events, partition, sinceNs);
    console.log(
      `partition ${partition}: no leader for ${all} ms in two changes with faults, ${longest} ms at a stretch`,
    );
    const written = events.filter(
      (event) => event.kind === 'wrote' && event.partition === partition,
    );
    const greatest = written.reduce((most, { token = 0n }) => (token > most ? token : most), 0n);
    // Work continues during this check, and a killed member may not have reported its last write:
    // the store may have a greater token.
    expect(greatest).toBeGreaterThan(0n);
    expect(
      (await fileFencedStore(storeIn(mesh)).read(`partition-${partition}`))?.token ?? 0n,
    ).toBeGreaterThanOrEqual(greatest);
  }
});
