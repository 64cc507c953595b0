// Runs the real state machine of gossip in a simulated process: applies inputs and executes
// outputs.
import {
  type Message,
  type ScuttlebuttInput,
  type ScuttlebuttOutput,
  step,
} from '@leadership/scuttlebutt/internal/protocol';
import type { HostPort } from '../kernel/host.ts';
import { judgeRevival, noteGap } from '../kernel/judge.ts';
import { isCut } from '../kernel/links.ts';
import { delayMs } from '../kernel/network.ts';
import { isDue, wakeBy } from '../kernel/process.ts';
import { between, defined, happens } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { judgeProof, judgeRefusal, judgeVotes, noteDrain, noteOver } from './judge.ts';
import { memberNode, type Node, type World } from './world.ts';

/** Applies one input. */
export function feed(world: World, node: Node, input: ScuttlebuttInput): void {
  const before = node.state;
  const { state, outputs, wakeAt } = step(node.rules, before, input, node.clock.moment());
  node.state = state;
  if (state.election.sequence !== before.election.sequence) judgeVotes(world, node);
  for (const output of outputs) carryOut(world, node, output);
  wakeBy(world, node, 0, wakeAt, wake);
}

/** Processes a wake-up. */
export function wake(world: World, at: number, node: Node): void {
  if (isDue(world, node, 0, at, wake)) feed(world, node, { kind: 'wake' });
}

/** The host of a partition. */
export const hostPort: HostPort<World, Node> = {
  feed,
  drainingToken({ state }, partition) {
    const term = state.election.candidateStates[partition]?.term;
    return term?.isRevoking ? term.token : undefined;
  },
  proved: judgeProof,
  ended: noteOver,
};

function carryOut(world: World, node: Node, output: ScuttlebuttOutput): void {
  switch (output.kind) {
    case 'send':
      return send(world, node, memberNode(world, output.to), output.message);
    case 'granted': {
      const hosted = defined(node.hosted[output.partition]);
      if (!hosted.granted(output.token, output.until))
        judgeRevival(world, node, output.partition, output, 'T1');
      return;
    }
    case 'drain':
      noteDrain(world, node, output.partition);
      return node.hosted[output.partition]?.drain(output.token);
    case 'released':
      return node.hosted[output.partition]?.end('released');
    case 'lost':
      noteGap(world, node);
      return node.hosted[output.partition]?.end('expired');
    case 'differs':
      if (output.isFinal) judgeRefusal(world, node);
      return;
    case 'renewed':
      // A member that starts again knows nothing of the others.
      return node.seen.clear();
    default:
      return;
  }
}

/** Sends one message. The network may lose, duplicate, delay or reorder it. */
function send(world: World, from: Node, to: Node, message: Message): void {
  const { random, network } = world;
  const { lossShare, duplicateShare } = network;
  if (!to.alive || isCut(world, from, to) || happens(random, lossShare)) return;
  scheduleFor(world, to, delayTo(world, to), receive, message);
  if (happens(random, duplicateShare)) scheduleFor(world, to, delayTo(world, to), receive, message);
}

function delayTo(world: World, { index }: Node): number {
  const { scenario, nodes, random } = world;
  const { lastDelay, leaseMs } = scenario;
  if (lastDelay === undefined || index < nodes.length - 1) return delayMs(world);
  return leaseMs * between(random, ...lastDelay);
}

function receive(world: World, message: Message, node: Node): void {
  feed(world, node, { kind: 'received', message });
}
