// Runs the production state machine of one node: applies inputs, executes outputs and keeps one
// wake-up scheduled.
import {
  type Epoch,
  isBefore,
  type NerioInput,
  type NerioOutput,
  type Start,
  stepAll,
} from '@leadership/nerio/internal/protocol';
import { localAt, momentAt, realAt } from '../kernel/clock.ts';
import { push } from '../kernel/queue.ts';
import { there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { nextWritten, waitsForDisk } from './disk.ts';
import { drain, ended, granted, isOver } from './host.ts';
import { believes, judgeEdict, violation } from './judge.ts';
import { send, tell } from './network.ts';
import { judgeQuorum, judgeReleased } from './quorum-judge.ts';
import type { Node, World } from './world.ts';

/** Applies one input. */
export function take(world: World, node: Node, input: NerioInput): void {
  takeAll(world, node, [input]);
}

/** Applies the inputs of one frame together. */
export function takeAll(world: World, node: Node, inputs: readonly NerioInput[]): void {
  for (const input of inputs) {
    if (
      input.kind === 'heard' &&
      input.item.kind === 'release' &&
      input.epoch === node.state.electorate.number
    )
      noteRelease(node, input.item.partition, input.from.incarnation, input.item.start);
  }
  const before = node.state;
  const { state, outputs, wakeAt } = stepAll(
    node.rules,
    before,
    inputs,
    momentAt(node.clock, world.now),
  );
  node.state = state;
  if (waitsForDisk(world, node, before, outputs)) noteStamped(world, node, outputs);
  else for (const output of outputs) carryOut(world, node, output);
  if (state.grants !== before.grants || state.claims !== before.claims)
    judgeChanges(world, node, before);
  arm(world, node, wakeAt);
}

/**
 * Processes new edicts without waiting for the disk: their creator checks whether it leads, which
 * it already knows (N8).
 */
function noteStamped(world: World, node: Node, outputs: readonly NerioOutput[]): void {
  for (const output of outputs) {
    if (
      output.kind === 'stamped' &&
      believes(world, node, there(node.beliefs[output.stamp.partition]))
    )
      note(world, node, output);
  }
}

/** Executes the outputs that waited for a hanging write. */
export function written(world: World, node: Node): void {
  for (let output = nextWritten(node); output !== undefined; output = nextWritten(node)) {
    if (output.kind === 'granted') prove(world, node, output);
    else if (output.kind !== 'stamped') carryOut(world, node, output);
  }
}

/** Processes a proof that waited for the disk. Its term may have ended meanwhile. */
function prove(
  world: World,
  node: Node,
  { partition, token, until }: NerioOutput & { readonly kind: 'granted' },
): void {
  // The machine may have ended this term and begun another. The host must not report it.
  if (!world.rules.host.proves(there(node.state.claims[partition]).tenure, token)) return;
  if (!isOver(world, node, partition, token, until)) granted(world, node, partition, token, until);
  else take(world, node, { kind: 'fenced', partition, lapse: false });
}

function noteRelease(node: Node, partition: number, incarnation: string, start: Start): void {
  const known = there(node.released[partition]);
  const before = known.get(incarnation);
  if (before === undefined || isBefore(before, start)) known.set(incarnation, start);
}

function judgeChanges(world: World, node: Node, before: Node['state']): void {
  const { state } = node;
  for (let partition = 0; partition < state.grants.length; partition += 1) {
    const grant = there(state.grants[partition]);
    const was = before.grants[partition];
    const isOther = grant.holder !== was?.holder;
    if (isOther || grant.start !== was?.start) judgeReleased(world, node, partition, grant);
    if (state.claims[partition]?.round !== before.claims[partition]?.round)
      noteContest(world, node, partition);
    // An extension of a grant cannot break an invariant.
    const isLess = isOther || was === undefined || grant.until < was.until;
    if (isLess || state.claims[partition]?.tenure !== before.claims[partition]?.tenure)
      judgeQuorum(world, partition);
  }
}

/** Adds up the time of unsuccessful campaigns. */
function noteContest(world: World, node: Node, partition: number): void {
  const { tenure, round } = there(node.state.claims[partition]);
  const since = node.contendsSince[partition];
  const isContending = round !== undefined && tenure.kind === 'follower';
  if (isContending) node.contendsSince[partition] = since ?? world.now;
  else node.contendsSince[partition] = undefined;
  if (!isContending && since !== undefined && tenure.kind === 'follower')
    world.judge.vainMs += world.now - since;
}

/** Delay of every timer, in milliseconds. Timers fire late, never early. */
const timerLateMs = 0.01;

/**
 * Schedules a wake-up by `wakeAt`. An earlier wake-up that is already scheduled reschedules itself.
 */
export function arm(world: World, node: Node, wakeAt: number): void {
  node.dueAt = wakeAt;
  if (wakeAt === Number.POSITIVE_INFINITY) return;
  const at = Math.max(realAt(node.clock, wakeAt), world.now) + timerLateMs;
  if (node.wakeAt <= at) return;
  node.wakeAt = at;
  push(world.queue, at, { kind: 'wake', node: node.index, life: node.life, cargo: at });
}

/** Processes a wake-up. If its due time has moved to a later moment, schedules it again. */
export function wake(world: World, node: Node, at: number): void {
  if (node.wakeAt !== at) return;
  node.wakeAt = Number.POSITIVE_INFINITY;
  if (localAt(node.clock, world.now) < node.dueAt) arm(world, node, node.dueAt);
  else take(world, node, wakeUp);
}

const wakeUp = { kind: 'wake' } as const;

function carryOut(world: World, node: Node, output: NerioOutput): void {
  switch (output.kind) {
    case 'send':
      return send(world, node, output.electorate, output.to, output.item);
    case 'tell':
      return tell(world, node, output.epoch, output.to, output.item);
    case 'granted':
      return granted(world, node, output.partition, output.token, output.until);
    case 'drain':
      return drain(world, node, output.partition);
    case 'released':
      return ended(world, node, output.partition, 'released');
    case 'lost':
      return ended(world, node, output.partition, 'fenced', output.reason);
    default:
      return note(world, node, output);
  }
}

type Noted = Exclude<
  NerioOutput,
  { readonly kind: 'send' | 'tell' | 'granted' | 'drain' | 'released' | 'lost' }
>;

function note(world: World, node: Node, output: Noted): void {
  switch (output.kind) {
    case 'persist':
      node.disk.vow = output.vow;
      return;
    case 'epoch':
      return enters(world, node, output.epoch);
    case 'stamped':
      judgeEdict(world, node, output.stamp);
      return soon(world, world.random.next() * publishMsMax, {
        kind: 'publish',
        node: node.index,
        life: node.life,
        cargo: { stamp: output.stamp, until: output.until },
      });
    case 'refused':
      return soon(world, 0, {
        kind: 'refusal',
        node: node.index,
        life: node.life,
        cargo: undefined,
      });
    case 'verified':
      return relyLater(world, node, output.verdict);
    default:
      return;
  }
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

/** Maximum time between the creation of an edict and its sending, in milliseconds. */
const publishMsMax = 100;

function relyLater(
  world: World,
  node: Node,
  verdict: (NerioOutput & { readonly kind: 'verified' })['verdict'],
): void {
  for (let time = 0; time < reliedOn; time += 1) {
    const ms = world.random.next() * world.scenario.leaseMsMax;
    soon(world, ms, { kind: 'rely', node: node.index, life: node.life, cargo: verdict });
  }
}

/** Number of times that a verification result is used, at random moments. */
const reliedOn = 3;
