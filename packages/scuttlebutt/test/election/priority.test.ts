import { describe, expect, test } from 'vitest';
import { World } from '../support/world.ts';

const seconds = 60;

/** The number of messages to each member in a minute, in a group of twelve with three voters. */
function messagesIn(electionMs: number): { readonly voters: number; readonly others: number } {
  const world = new World({ seed: 1, nodes: 12, voters: 3, intervalMs: 1000, electionMs });
  world.startAll();
  world.run(30_000);
  const counts = new Map(world.names.map((name) => [name, 0]));
  const isOther = (name: string): boolean =>
    !world.voters.includes(name) && name !== world.leader();
  world.onSend = (from, to) => {
    // Messages of the leader count for neither side: it exchanges them with the voters.
    if (isOther(from) !== isOther(to)) return;
    counts.set(to, (counts.get(to) ?? 0) + 1);
  };
  world.run(1000 * seconds);
  const mean = (names: readonly string[]): number =>
    names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0) / names.length;
  return { voters: mean(world.voters), others: mean(world.names.filter(isOther)) };
}

/** The least number of votes that arrive at a voter from each other one in a minute. */
function votesIn(electionMs: number): number {
  const world = new World({ seed: 1, nodes: 12, voters: 3, intervalMs: 1000, electionMs });
  world.startAll();
  world.run(30_000);
  const pairs = world.voters.flatMap((from) =>
    world.voters.filter((to) => to !== from).map((to) => `${from}>${to}`),
  );
  /** By link: the sequences of the declarations with a vote for a member. */
  const votes = new Map(pairs.map((pair) => [pair, new Set<number>()]));
  world.onSend = (from, to, { body }) => {
    if (body.kind === 'digest') return;
    for (const { row, declaration } of body.deltas)
      if (row.name === from && declaration?.vote?.supports.some((one) => one !== undefined))
        votes.get(`${from}>${to}`)?.add(row.sequence);
  };
  world.run(1000 * seconds);
  return Math.min(...[...votes.values()].map((sequences) => sequences.size));
}

describe('voters gossip with priority (S4)', () => {
  test('each voter is sent a new vote of each other voter at every interval of the election', () => {
    const electionMs = 250;
    expect(votesIn(electionMs)).toBeGreaterThanOrEqual((0.95 * 1000 * seconds) / electionMs);
  });

  test('a shorter interval of the election makes voters exchange more, and the others do not', () => {
    const [slow, fast] = [1000, 250].map(messagesIn);
    expect(fast?.voters).toBeGreaterThan(2.5 * (slow?.voters ?? 0));
    expect(fast?.others).toBeLessThan(1.2 * (slow?.others ?? 0));
  });
});
