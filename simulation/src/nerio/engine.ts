// Runs the real state machine of Nerio in a simulated process: applies inputs and executes outputs.
import {
  type Epoch,
  isBefore,
  type NerioInput,
  type NerioOutput,
  stepAll,
} from '@leadership/nerio/internal/protocol';
import type { HostPort } from '../kernel/host.ts';
import { judgeRevival, noteEnd, noteGap, violation } from '../kernel/judge.ts';
import { isDue, wakeBy } from '../kernel/process.ts';
import { defined } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { nextWritten, waitsForDisk } from './disk.ts';
import { publishLater, relyLater } from './edicts.ts';
import { judgeEdict, judgeProof, noteDrain, noteElection } from './judge.ts';
import { send, sendByName } from './network.ts';
import { judgeQuorum, judgeReleased } from './quorum-judge.ts';
import type { Node, World } from './world.ts';

/** Applies one input. */
export function take(world: World, node: Node, input: NerioInput): void {
  feed(world, [input], node);
}

/** Applies the inputs of one frame together. */
export function feed(world: World, inputs: readonly NerioInput[], node: Node): void {
  for (const input of inputs) noteRelease(node, input);
  const before = node.state;
  const { state, outputs, wakeAt } = stepAll(node.rules, before, inputs, node.clock.moment());
  node.state = state;
  if (waitsForDisk(world, node, before, outputs)) noteStamped(world, node, outputs);
  else for (const output of outputs) carryOut(world, node, output);
  if (state.grants !== before.grants || state.claims !== before.claims)
    judgeChanges(world, node, before);
  wakeBy(world, node, 0, wakeAt, wake);
}

/** Processes a wake-up. */
export function wake(world: World, at: number, node: Node): void {
  if (isDue(world, node, 0, at, wake)) feed(world, [{ kind: 'wake' }], node);
}

/** The host of a partition. */
export const hostPort: HostPort<World, Node> = {
  feed: take,
  drainingToken({ state }, partition) {
    const leaseState = state.claims[partition]?.leaseState;
    return leaseState?.kind === 'revoking' ? leaseState.token : undefined;
  },
  proved: judgeProof,
  ended: noteEnd,
};

type Output<Kind extends NerioOutput['kind']> = NerioOutput & { readonly kind: Kind };

/**
 * Processes new edicts without waiting for the disk: their creator checks whether it leads, which
 * it already knows (N8).
 */
function noteStamped(world: World, node: Node, outputs: readonly NerioOutput[]): void {
  for (const output of outputs)
    if (output.kind === 'stamped' && node.hosted[output.stamp.partition]?.leads())
      stamped(world, node, output);
}

/** Executes the outputs that waited for a write that hung, once no write hangs. */
export function written(world: World, _content: undefined, node: Node): void {
  if (world.now < node.disk.hangsUntil) return;
  for (let output = nextWritten(node); output !== undefined; output = nextWritten(node)) {
    if (output.kind === 'granted') granted(world, node, output, true);
    else if (output.kind !== 'stamped') carryOut(world, node, output);
  }
}

function granted(world: World, node: Node, output: Output<'granted'>, isLate: boolean): void {
  const { partition, token, until } = output;
  // The machine may have ended this term and begun another. The host must not report it.
  const { leaseState } = defined(node.state.claims[partition]);
  if (isLate && !world.driverRules.proves(leaseState, token)) return;
  const isOver = !defined(node.hosted[partition]).granted(token, until);
  if (isOver && !isLate) judgeRevival(world, node, partition, output, 'N16');
}

function noteRelease(node: Node, input: NerioInput): void {
  if (input.kind !== 'received' || input.item.kind !== 'release') return;
  if (input.epoch !== node.state.electorate.number) return;
  const { partition, start } = input.item;
  const known = defined(node.released[partition]);
  const before = known.get(input.from.incarnation);
  if (before === undefined || isBefore(before, start)) known.set(input.from.incarnation, start);
}

function judgeChanges(world: World, node: Node, before: Node['state']): void {
  const { state } = node;
  for (let partition = 0; partition < state.grants.length; partition += 1) {
    const grant = defined(state.grants[partition]);
    const claim = state.claims[partition];
    const [was, claimed] = [before.grants[partition], before.claims[partition]];
    const isOther = grant.holder !== was?.holder;
    if (isOther || grant.start !== was?.start) judgeReleased(world, node, partition, grant);
    if (claim?.round !== claimed?.round) noteElection(world, node, partition);
    // An extension of a grant cannot break an invariant.
    const isLess = isOther || was === undefined || grant.until < was.until;
    if (isLess || claim?.leaseState !== claimed?.leaseState) judgeQuorum(world, partition);
  }
}

function carryOut(world: World, node: Node, output: NerioOutput): void {
  switch (output.kind) {
    case 'send':
      return send(world, node, output.electorate, output.to, output.item);
    case 'send-by-name':
      return sendByName(world, node, output.epoch, output.to, output.item);
    case 'granted':
      return granted(world, node, output, false);
    case 'drain':
      noteDrain(world, node, output.partition);
      return node.hosted[output.partition]?.drain(output.token);
    case 'released':
      return node.hosted[output.partition]?.end('released');
    case 'lost':
      if (output.reason === 'expired') noteGap(world, node);
      return node.hosted[output.partition]?.end(output.reason);
    default:
      return carryOutOther(world, node, output);
  }
}

function carryOutOther(world: World, node: Node, output: NerioOutput): void {
  switch (output.kind) {
    case 'persist':
      node.disk.hardState = output.hardState;
      return;
    case 'epoch':
      return enters(world, node, output.epoch);
    case 'stamped':
      return stamped(world, node, output);
    case 'refused':
      return scheduleFor(world, node, 0, world.refused, undefined);
    case 'verified':
      return relyLater(world, node, output.verdict);
    default:
      return;
  }
}

function stamped(world: World, node: Node, { stamp, until }: Output<'stamped'>): void {
  judgeEdict(world, node, stamp);
  publishLater(world, node, { stamp, until });
}

/**
 * Checks that there is one epoch per number. Two different successors of one epoch could each elect
 * a leader (N13).
 */
function enters(world: World, node: Node, epoch: Epoch): void {
  for (const known of node.released) known.clear();
  if (epoch.number === world.epoch.number && epoch !== world.epoch)
    violation(world, 'N13', node, 0, `another epoch ${epoch.number} than others`);
  if (epoch.number > world.epoch.number) world.epoch = epoch;
}
