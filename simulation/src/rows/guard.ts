// The simulated guard of a host: a process that observes the group and the connections of all members
// inside one kernel, and deposes the sessions of those that it has proved dead (L13 to L15, M10). It
// receives its knowledge as events; the truth about a process is kept beside that, so that the two may differ.
import { type Observation, provesDeath } from '@leadership/core/internal/guard';
import { between, defined } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { fenceAll } from './engine.ts';
import { keepWork } from './judge.ts';
import { endIncarnation } from './node.ts';
import type { Node, World } from './world.ts';

/** The rules of the guard and of the members that it observes. Mutants replace single ones. */
export interface GuardRules {
  /** L13: Returns whether an observation proves a death. */
  provesDeath(observation: Observation): boolean;
  /** L14: Whether a member that leaves keeps its sockets until its belief has ended. */
  readonly keepsSocketsWhileBelieving: boolean;
  /** L14: Whether a member that leaves keeps its own socket if no guard can read its goodbye. */
  readonly keepsSocketsUnheard: boolean;
  /** L15: The reaction of a member that others may consider dead. */
  readonly exposed: 'new-incarnation' | 'same-incarnation' | 'goes-on';
}

export const guardRules: GuardRules = {
  provesDeath,
  keepsSocketsWhileBelieving: true,
  keepsSocketsUnheard: true,
  exposed: 'new-incarnation',
};

/** The connection of one incarnation to the guard, and the socket on which it listens. */
export interface Link {
  /** The index of the process. */
  readonly member: number;
  readonly incarnation: string;
  /** The connection as the guard knows it. */
  seen: Omit<Observation, 'address' | 'process'>;
  /** Whether the process has closed the connection by mistake, whatever the guard has read. */
  isClosed: boolean;
  /** How the address answers while the process lives. */
  address: 'accepts' | 'refuses' | 'missing';
  isProcessGone: boolean;
  /** Whether the member has said goodbye, whatever the guard has read (L14). */
  saidGoodbye: boolean;
}

/** The delay of every event on a connection inside one kernel. Milliseconds. They keep their order. */
const linkMs = 1;
/** How often the guard observes all addresses, and a member tries to connect. Milliseconds. */
const probeMs = 250;
/** How many connections the guard remembers. */
const linksMax = 16;

function guardOf(world: World): Node {
  return defined(world.nodes[world.scenario.nodes]);
}

/** Starts the work of a guard, or connects a member that has just started to it. */
export function join(world: World, node: Node): void {
  if (!world.scenario.hasGuard) return;
  if (node !== guardOf(world)) return scheduleFor(world, node, linkMs, connect, undefined);
  scheduleFor(world, node, probeMs, probe, undefined);
  for (const member of world.nodes)
    if (member.alive && member !== node) scheduleFor(world, member, linkMs, connect, undefined);
}

function connect(world: World, _: undefined, node: Node): void {
  if (!guardOf(world).alive) return scheduleFor(world, node, probeMs, connect, undefined);
  const { links } = world;
  const link: Link = {
    member: node.index,
    incarnation: node.incarnation,
    address: node.link?.address ?? 'accepts',
    seen: { isIdentified: false, end: 'open', saidGoodbye: false },
    isClosed: false,
    isProcessGone: false,
    saidGoodbye: false,
  };
  node.link = link;
  links.push(link);
  if (links.length > linksMax) links.shift();
  deliver(world, link, { isIdentified: true });
}

/** Delivers an event of a connection to the guard. */
function deliver(world: World, link: Link, event: Partial<Link['seen']>): void {
  scheduleFor(world, guardOf(world), linkMs, learn, { link, event });
}

function learn(
  world: World,
  { link, event }: { readonly link: Link; readonly event: Partial<Link['seen']> },
): void {
  if (link.seen.end === 'open') link.seen = { ...link.seen, ...event };
  observe(world, link, link.seen);
}

function probe(world: World, _: undefined, guard: Node): void {
  for (const link of world.links) observe(world, link, link.seen);
  scheduleFor(world, guard, probeMs, probe, undefined);
}

/** Tells the machine of the guard that an incarnation is dead, if the observation proves that. */
function observe(world: World, link: Link, seen: Link['seen']): void {
  const guard = guardOf(world);
  const { incarnation } = link;
  const address = link.isProcessGone && link.address === 'accepts' ? 'refuses' : link.address;
  if (!world.guardRules.provesDeath({ ...seen, address, process: 'unknown' })) return;
  if (!guard.state.dead.has(incarnation)) world.feed(world, guard, { kind: 'died', incarnation });
}

/** Ends every connection of a process that is about to end, unless its member has said goodbye. */
export function endProcess(world: World, node: Node): void {
  if (!world.scenario.hasGuard) return;
  // The connections of a guard end with it, and so does its memory.
  if (node === guardOf(world)) world.links.length = 0;
  const { link } = node;
  node.link = undefined;
  const saidGoodbye = link?.saidGoodbye === true;
  for (const one of world.links) {
    if (one.member !== node.index || (saidGoodbye && staysOpen(world, one, link))) continue;
    one.isProcessGone = true;
    deliver(world, one, { end: 'there' });
  }
  if (saidGoodbye) keepWork(node);
  else node.leftWork.clear();
}

/**
 * Whether a connection continues with its process, whose member said goodbye over another one. So does the work
 * of its earlier incarnations. No guard could read a goodbye over one that was closed before (L14).
 */
function staysOpen({ guardRules }: World, one: Link, last: Link | undefined): boolean {
  return one !== last || (one.isClosed && guardRules.keepsSocketsUnheard);
}

/** Says goodbye, unless the member still leads (L14): it has closed. */
export function sayGoodbye(world: World, { link, terms, clock, until }: Node): void {
  if (link === undefined || (terms.size > 0 && clock.now() < until)) return;
  link.saidGoodbye = true;
  deliver(world, link, { saidGoodbye: true });
}

/** Begins to leave: a mutant closes its sockets at this moment. */
export function beginToLeave(world: World, { link }: Node): void {
  if (world.guardRules.keepsSocketsWhileBelieving || link === undefined) return;
  link.address = 'refuses';
  deliver(world, link, { end: 'there' });
}

/** A living process closes its connection by mistake, and notices it later (L15). */
export function closeConnection(world: World, node: Node): void {
  const { link } = node;
  // A process that closes both descriptors breaks an assumption (`death-is-final`).
  if (link === undefined || link.seen.end !== 'open' || link.address === 'refuses') return;
  link.isClosed = true;
  deliver(world, link, { end: 'there' });
  noticeLater(world, node);
}

/** A living process closes the socket on which it listens, by mistake. */
export function closeListener({ link }: Node): void {
  if (link?.seen.end === 'open' && !link.isClosed) link.address = 'refuses';
}

/** The file of the socket is deleted. */
export function deleteSocket({ link }: Node): void {
  if (link?.address === 'accepts') link.address = 'missing';
}

/** A living process closes both descriptors by mistake, and notices it at once (L15). */
export function expose(world: World, node: Node): void {
  const { link } = node;
  if (link === undefined) return;
  link.address = 'refuses';
  deliver(world, link, { end: 'there' });
  // The guard is right to depose it, as far as it knows, so nothing protects fenced work.
  exposed(world, false, node);
}

/** A living process opens a connection to the guard, and closes it without naming itself. */
export function stray(world: World, { link }: Node): void {
  if (link === undefined || !guardOf(world).alive) return;
  observe(world, link, { isIdentified: false, end: 'there', saidGoodbye: false });
}

/** The guard closes a connection itself, and the member notices it later. */
export function hangUp(world: World, node: Node): void {
  const { link } = node;
  if (link === undefined || !guardOf(world).alive || link.seen.end !== 'open') return;
  link.seen = { ...link.seen, end: 'here' };
  observe(world, link, link.seen);
  noticeLater(world, node);
}

function noticeLater(world: World, node: Node): void {
  scheduleFor(world, node, between(world.random, 0, 2 * node.leaseMs), exposed, true);
}

/**
 * A member that the guard may consider dead fences, and goes on as a new incarnation (L15). The work
 * that is fenced has the rest of its lease if no proof was possible (H3).
 */
function exposed(world: World, keepsWork: boolean, node: Node): void {
  const rule = world.guardRules.exposed;
  if (rule === 'goes-on') return;
  fenceAll(world, node);
  if (rule === 'same-incarnation') return;
  if (keepsWork) keepWork(node);
  node.link = undefined;
  endIncarnation(world, node, linkMs);
}
