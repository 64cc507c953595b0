// How fast, and at what cost, the writes of single members reach all members of a large group.
import { ByteWriter } from '@leadership/peer';
import { writeMessage } from '../../src/transport/codec/message-form.ts';
import { envelopeBytes } from '../../src/transport/envelope.ts';
import { keyring } from './sockets.ts';
import { World } from './world.ts';

const intervalMs = 1000;

/** By then, in milliseconds, all members know each other. */
const acquaintedMs = 15_000;
/** A write that is still on its way after this time never arrives. Milliseconds. */
const timeoutMs = 30_000;
/** Writers are not neighbours. */
const stride = 37;

export interface ConvergenceOptions {
  readonly members: number;
  /** The share of the messages that are lost. */
  readonly loss: number;
  readonly writes: number;
}

export interface Convergence {
  /** The rounds that each write took to reach all members, ascending. */
  readonly rounds: readonly number[];
  /** Signed envelopes included. Per member and second. */
  readonly bytes: number;
  readonly messages: number;
  /** Milliseconds of processor time per member and simulated second, the simulation included. */
  readonly cpuMs: number;
}

/** Lets members write one after the other, and waits until all know every write. */
export function converge({ members, loss, writes }: ConvergenceOptions): Convergence {
  const world = new World({
    seed: 11,
    nodes: members,
    voters: 5,
    intervalMs,
    loss,
    config: { pin: '0'.repeat(32) },
  });
  for (const name of world.names) world.start(name, { isCandidate: world.voters.includes(name) });
  world.run(acquaintedMs);
  const cost = costOf(world);
  const pending = new Map<string, Write>();
  const rounds: number[] = [];
  const goOn = (): void => {
    world.run(intervalMs / 20);
    for (const [key, { owner, at }] of pending) {
      if (!isKnownToAll(world, owner, key)) continue;
      rounds.push((world.now - at) / intervalMs);
      pending.delete(key);
    }
  };
  for (let write = 0; write < writes; write += 1) {
    const owner = world.names[(write * stride) % members] ?? '';
    const key = `key-${write}`;
    pending.set(key, { owner, at: world.now });
    world.feed(owner, { kind: 'set', key, value: 'value' });
    goOn();
  }
  const end = world.now + timeoutMs;
  while (pending.size > 0 && world.now < end) goOn();
  if (pending.size > 0) throw new Error(`${pending.size} writes did not arrive`);
  return { rounds: rounds.toSorted((a, b) => a - b), ...cost() };
}

interface Write {
  readonly owner: string;
  /** Milliseconds of the world's time. */
  readonly at: number;
}

function isKnownToAll(world: World, owner: string, key: string): boolean {
  return world.names.every((name) =>
    world.process(name).state?.gossip.nodes.get(owner)?.entries.has(key),
  );
}

/** Counts what is sent from now on. */
function costOf(world: World): () => Omit<Convergence, 'rounds'> {
  const began = { at: world.now, cpu: process.cpuUsage() };
  let bytes = 0;
  let messages = 0;
  world.onSend = (from, to, message) => {
    const content = new ByteWriter();
    writeMessage(content, message);
    bytes += content.bytes().length + envelopeBytes(keyring, from, to);
    messages += 1;
  };
  return () => {
    const { user, system } = process.cpuUsage(began.cpu);
    const memberSeconds = (world.names.length * (world.now - began.at)) / 1000;
    const cpuMs = (user + system) / 1000 / memberSeconds;
    return { bytes: bytes / memberSeconds, messages: messages / memberSeconds, cpuMs };
  };
}
