// The second place of the greatest token (T1): it outlives the rows, and its calls fail by themselves.
import type { Output } from '@leadership/core/internal/sessions';
import { happens } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { type Message, reply, send } from './transit.ts';
import type { Node, World } from './world.ts';

type Call = Output & { readonly kind: 'floor' };

/** The answer to a call: the token of the place, unless the call has failed. */
interface Answer {
  readonly id: number;
  readonly token: bigint | undefined;
}

/** Calls the second place. The call fails at its limit, unless an answer comes. */
export function callFloor(world: World, node: Node, call: Call): void {
  scheduleFor(world, node, call.limitMs, failed, call.id);
  send(world, node, arrive, call);
}

function arrive(world: World, message: Message<Call>): void {
  const { floor, storeRules, random, now } = world;
  const { id, raise } = message.content;
  // A place that is away fails, hangs, or raises its token and does not answer.
  if (now < message.node.noFloorUntil) {
    if (happens(random, 0.5)) return reply(world, message, answered, { id, token: undefined });
    if (happens(random, 0.5)) return;
  }
  if (raise !== undefined && raise > floor.token && storeRules.keepsFloor) floor.token = raise;
  if (now >= message.node.noFloorUntil)
    reply(world, message, answered, { id, token: raise ?? floor.token });
}

function answered(world: World, { id, token }: Answer, node: Node): void {
  if (token === undefined) failed(world, id, node);
  else world.feed(world, node, { kind: 'floor', id, token });
}

function failed(world: World, id: number, node: Node): void {
  const message = 'the second place does not answer';
  world.feed(world, node, { kind: 'failed', id, code: 'unreachable', message });
}
