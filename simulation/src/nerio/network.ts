// How simulated Nerio members send messages to each other.
import type { Electorate, Item, Members, NerioInput } from '@leadership/nerio/internal/protocol';
import { isCut } from '../kernel/links.ts';
import { delayMs } from '../kernel/network.ts';
import { defined, happens } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { memberNode, type Node, type World } from './world.ts';

/** Sends a message to members of an epoch. Each copy has its own delay and fate. */
export function send(
  world: World,
  from: Node,
  electorate: Electorate,
  to: Members,
  item: Item,
): void {
  const input: NerioInput = { kind: 'received', from: from.self, epoch: electorate.number, item };
  for (let rest = to; rest !== 0; rest &= rest - 1) {
    const index = 31 - Math.clz32(rest & -rest);
    post(world, from, memberNode(world, defined(electorate.names[index])), input);
  }
}

/** Sends a message to members by name. */
export function sendByName(
  world: World,
  from: Node,
  epoch: number,
  to: readonly string[],
  item: Item,
): void {
  const input: NerioInput = { kind: 'received', from: from.self, epoch, item };
  for (const name of to) post(world, from, memberNode(world, name), input);
}

/**
 * How often a message travels in one frame with the message sent just before it to the same member.
 */
const sameFrameShare = 1 / 2;

/**
 * Sends one message. The network may lose, duplicate, delay or reorder it, alone or with others of
 * the same moment in one frame.
 */
function post(world: World, from: Node, to: Node, input: NerioInput): void {
  const { random, network, now } = world;
  const { lossShare, duplicateShare } = network;
  if (!to.alive || to.config !== from.config) return;
  if (isCut(world, from, to) || happens(random, lossShare)) return;
  const last = from.lastFrames[to.index];
  const isOpen = last?.sentAt === now && last.life === to.life;
  if (isOpen && happens(random, sameFrameShare)) return void last.inputs.push(input);
  const inputs = [input];
  from.lastFrames[to.index] = { sentAt: now, life: to.life, inputs };
  scheduleFor(world, to, delayMs(world), world.feed, inputs);
  if (happens(random, duplicateShare)) scheduleFor(world, to, delayMs(world), world.feed, inputs);
}
