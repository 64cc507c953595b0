// The way to a store, and back to a process: messages that are lost, late or repeated.
import { delayMs } from '../kernel/network.ts';
import { happens } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import type { Node, World } from './world.ts';

/** A message on its way to a store arrives whether its sender still runs or not. */
export class Message<Content> {
  readonly from: number;
  readonly life: number;
  readonly content: Content;
  // Private: the hash of a history would take all that its sender knows as the contents of the event.
  readonly #node: Node;

  constructor(node: Node, content: Content) {
    this.from = node.index;
    this.life = node.life;
    this.content = content;
    this.#node = node;
  }

  /** The sender. */
  get node(): Node {
    return this.#node;
  }
}

type Arrive<Content> = (world: World, message: Message<Content>) => void;

/** Sends a message, which may be lost, late or repeated. */
export function send<Content>(
  world: World,
  node: Node,
  arrive: Arrive<Content>,
  content: Content,
): void {
  const { network, random, wire } = world;
  const times = happens(random, network.duplicateShare) ? 2 : 1;
  for (let copy = 0; copy < times; copy += 1) {
    if (happens(random, network.lossShare) || world.now < node.cutOut) continue;
    scheduleFor(world, wire, delayMs(world), arrive, new Message(node, content));
  }
}

/** Sends an answer to a process, which may be lost or late. Without an answer nothing is sent. */
export function reply<Content>(
  world: World,
  { node, life }: Message<unknown>,
  take: (world: World, content: Content, node: Node) => void,
  content: Content | undefined,
): void {
  const isLost = happens(world.random, world.network.lossShare) || world.now < node.cutIn;
  if (content === undefined || isLost || node.life !== life) return;
  scheduleFor(world, node, delayMs(world), take, content);
}
