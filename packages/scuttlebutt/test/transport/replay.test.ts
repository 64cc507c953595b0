// Datagrams that were recorded and are sent again later, by somebody who has no key. The transport
// passes them on: the protocol has to ignore them.
import { describe, expect, test } from 'vitest';
import { isAlive } from '../../src/protocol/gossip/node.ts';
import type { Message, ScuttlebuttRules } from '../../src/protocol.ts';
import { World } from '../support/world.ts';

interface Recorded {
  readonly to: string;
  readonly message: Message;
}

/** A group of three voters and two others, and everything that its members send. */
function recorded(rules: Partial<ScuttlebuttRules> = {}): {
  readonly world: World;
  readonly messages: Recorded[];
} {
  const world = new World({ seed: 5, nodes: 5, voters: 3, delayMs: [1, 10], rules });
  const messages: Recorded[] = [];
  world.onSend = (_from, to, message) => messages.push({ to, message });
  for (const name of world.names) world.start(name, { isCandidate: !world.voters.includes(name) });
  world.run(60_000, () => world.leader() !== undefined);
  world.run(10_000);
  return { world, messages };
}

function replay(world: World, messages: readonly Recorded[]): void {
  for (const { to, message } of messages) world.feed(to, { kind: 'received', message });
}

/** The data that every member has of every other one. */
function knowledge(world: World) {
  return world.names.map((name) => {
    const { state } = world.process(name);
    const now = world.clockOf(world.process(name)) - (state?.startedAt ?? 0);
    return [...(state?.gossip.nodes.values() ?? [])].map((node) => {
      const { generation, beat, sequence, version, declaration, receivedClock } = node;
      const isOther = node.name !== name;
      const seen = { generation, version, isAlive: isOther && isAlive(node, now) };
      // A member's own values may grow while it answers.
      return isOther ? { ...seen, beat, sequence, declaration, receivedClock } : seen;
    });
  });
}

describe('replayed datagrams', () => {
  test('change nothing, whether they are of this generation or of an earlier one (S1)', () => {
    const { world, messages } = recorded();
    const follower = world.names.find((name) => name !== world.leader() && name > 'm2') ?? '';
    for (const restarted of [follower, 'm0', world.leader() ?? '']) {
      world.kill(restarted);
      world.start(restarted, { isCandidate: restarted > 'm2' });
      world.run(30_000);
    }
    const until = messages.length;
    // Messages on their way are not late yet.
    world.run(20);
    const [leader, terms] = [world.leader(), world.reigns.length];
    expect(leader).toBeDefined();
    const before = knowledge(world);
    replay(world, messages.slice(0, until));
    expect(until).toBeGreaterThan(1000);
    expect(knowledge(world)).toEqual(before);
    world.run(30_000);
    expect([world.leader(), world.reigns.length]).toEqual([leader, terms]);
    expect(world.violations).toEqual([]);
  });

  test('do not let a dead member seem to live (S2)', () => {
    const revived = (rules: Partial<ScuttlebuttRules>): boolean => {
      const { world, messages } = recorded(rules);
      const dead = world.names.find((name) => name !== world.leader() && name > 'm2') ?? '';
      world.kill(dead);
      world.run(30_000);
      replay(
        world,
        messages.filter(({ message }) => message.from.name === dead),
      );
      const living = knowledge(world).flatMap((nodes) => nodes.filter(({ isAlive: is }) => is));
      // Each of the four others sees the other three.
      return living.length > 4 * 3;
    };
    expect(revived({})).toBe(false);
    expect(revived({ isNewer: (one, other) => one >= other }), 'a mutant').toBe(true);
  });

  test('of votes do not elect a member that has restarted (S5)', () => {
    const termsOf = (rules: Partial<ScuttlebuttRules>): number => {
      const { world, messages } = recorded(rules);
      const leader = world.leader() ?? '';
      const before = messages.filter(({ to }) => to === leader);
      world.kill(leader);
      for (const other of world.names) world.cut(other, leader);
      for (const other of world.names) world.cut(leader, other);
      world.start(leader);
      world.run(15_000);
      for (let second = 0; second < 10; second += 1) {
        replay(world, before.slice(-200));
        world.run(1000);
      }
      return world.reigns.filter(({ member }) => member === leader).length;
    };
    expect(termsOf({})).toBe(1);
    const anyVote: Partial<ScuttlebuttRules> = {
      isForLife: () => true,
      counts: (bound, _clock, horizon) => bound > horizon,
      elects: () => true,
      showsClockStop: () => false,
    };
    expect(termsOf(anyVote), 'a mutant').toBeGreaterThan(1);
  });

  test('of another configuration make a newcomer refuse, so a transport passes on fresh ones only (R4)', () => {
    const { world, messages } = recorded();
    const old = messages.map(({ to, message }) => ({ to, message: { ...message, pin: 'old' } }));
    world.kill('m4');
    world.start('m4');
    replay(world, old.slice(0, 200));
    expect([...world.refused]).toEqual(['m4']);
  });
});
