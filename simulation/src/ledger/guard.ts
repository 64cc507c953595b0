// The simulated guard of a host: a process that never leads, observes the connections of all
// members inside one kernel, and releases for those that it has proved dead (L13 to L16). What it
// knows arrives as events; what is true of a process is kept beside that, so that the two may
// differ.
import type { LedgerRules } from '@leadership/core/internal/ledger';
import { noteStopped } from '../kernel/judge.ts';
import { endLife } from '../kernel/process.ts';
import { between, defined } from '../kernel/random.ts';
import { type Handler, scheduleFor } from '../kernel/timeline.ts';
import { take } from './engine.ts';
import type { Overrides } from './rules.ts';
import type { Scenario } from './scenario.ts';
import type { Link, Node, World } from './world.ts';

/** Delay of every event on a connection inside one kernel, in milliseconds. They keep their order. */
const linkMs = 1;
/** Interval at which the guard observes all addresses, and a member tries to connect. Milliseconds. */
const probeMs = 250;
/** How many connections the guard remembers. */
const linksMax = 32;

/** Returns the rules of a world with a guard. */
export function rulesWith(
  { guard }: Scenario,
  rules: Overrides['rules'],
): Partial<LedgerRules> | undefined {
  return guard === 'eager' ? { youngMs: () => Number.NEGATIVE_INFINITY, ...rules } : rules;
}

/** Returns the number of nodes: the members, and the guard after them. */
export function nodesIn({ members, guard }: Scenario): number {
  return members.length + (guard === undefined ? 0 : 1);
}

/** Returns whether the node is the guard. */
export function isGuard({ scenario }: World, { index }: Node): boolean {
  return scenario.guard !== undefined && index === scenario.members.length;
}

function guardOf(world: World): Node {
  return defined(world.nodes.at(-1));
}

/** Starts the guard, or connects a member that has just started to it. */
export function join(world: World, node: Node): void {
  if (!isGuard(world, node)) return scheduleFor(world, node, linkMs, connect, undefined);
  node.campaigning = false;
  node.partitions.forEach((_, partition) => {
    take(world, node, partition, { kind: 'campaign', on: false });
  });
  scheduleFor(world, node, probeMs, probe, undefined);
  for (const member of world.nodes)
    if (member.alive && member !== node) scheduleFor(world, member, linkMs, connect, undefined);
}

function connect(world: World, _content: undefined, node: Node): void {
  const guard = guardOf(world);
  if (!guard.alive) return scheduleFor(world, node, probeMs, connect, undefined);
  const address = node.link?.address ?? 'accepts';
  const link: Link = {
    member: node.index,
    incarnation: node.incarnation,
    address,
    seen: { isIdentified: false, end: 'open', saidGoodbye: false },
    isClosed: false,
    isProcessGone: false,
    saidGoodbye: false,
  };
  node.link = link;
  world.links.push(link);
  if (world.links.length > linksMax) world.links.shift();
  deliver(world, link, { isIdentified: true });
}

/** Delivers an event of a connection to the guard. */
function deliver(world: World, link: Link, event: Partial<Link['seen']>): void {
  scheduleFor(world, guardOf(world), linkMs, learn, { link, event });
}

function learn(
  world: World,
  { link, event }: { readonly link: Link; readonly event: Partial<Link['seen']> },
  guard: Node,
): void {
  if (link.seen.end === 'open') link.seen = { ...link.seen, ...event };
  observe(world, guard, link, link.seen);
}

function probe(world: World, _content: undefined, guard: Node): void {
  for (const link of world.links) observe(world, guard, link, link.seen);
  scheduleFor(world, guard, probeMs, probe, undefined);
}

/** Releases the leases of the incarnation if the observation proves its death. */
function observe(world: World, guard: Node, link: Link, seen: Link['seen']): void {
  const address = link.isProcessGone && link.address === 'accepts' ? 'refuses' : link.address;
  if (!world.guardRules.provesDeath({ ...seen, address, process: 'unknown' })) return;
  const { incarnation } = link;
  guard.partitions.forEach((_, partition) => {
    take(world, guard, partition, { kind: 'died', incarnation });
  });
}

/** Ends every connection of a process that has stopped. The process no longer acts. */
export function died(world: World, node: Node): void {
  if (isGuard(world, node)) {
    // Its connections end with it, and so does its memory.
    world.links.length = 0;
    return;
  }
  const saidGoodbye = node.link?.saidGoodbye === true;
  for (const link of world.links) {
    // A process that said goodbye continues, and with it the work of its earlier incarnations.
    if (link.member !== node.index || (saidGoodbye && link !== node.link)) continue;
    link.isProcessGone = true;
    deliver(world, link, { end: 'there' });
  }
  node.link = undefined;
  if (!saidGoodbye) unreserve(world, node);
}

/** Notes that no fenced work of the process continues. */
function unreserve({ judge }: World, { index }: Node): void {
  for (const record of judge.records) if (record.reservedBy === index) record.reservedUntil = 0;
}

/** Says goodbye, unless the member still believes (L14). It leaves the group, and closes. */
export function sayGoodbye(world: World, node: Node): void {
  const { link } = node;
  if (link === undefined || node.hosted.some((hosted) => hosted.leads())) return;
  link.saidGoodbye = true;
  deliver(world, link, { saidGoodbye: true });
}

/** Starts to leave: a mutant closes its sockets at this moment. */
export function beginToLeave(world: World, { link }: Node): void {
  if (world.guardRules.keepsSocketsWhileBelieving || link === undefined) return;
  link.address = 'refuses';
  deliver(world, link, { end: 'there' });
}

type Start = Handler<World, Node, undefined>;

/** A living process closes its connection by mistake, and notices it later (L15). */
export function closeConnection(world: World, node: Node, start: Start): void {
  const { link } = node;
  // A process that closes both descriptors breaks an assumption (`death-is-final`).
  if (link === undefined || link.seen.end !== 'open' || link.address === 'refuses') return;
  link.isClosed = true;
  deliver(world, link, { end: 'there' });
  noticeLater(world, node, start);
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
export function expose(world: World, node: Node, start: Start): void {
  const { link } = node;
  if (link === undefined) return;
  link.address = 'refuses';
  deliver(world, link, { end: 'there' });
  // The guard is right to release, as far as it knows, so nothing protects fenced work.
  unreserve(world, node);
  exposed(world, { start, isReserved: false }, node);
}

/** A living process opens a connection to the guard, and closes it without naming itself. */
export function stray(world: World, { link }: Node): void {
  const guard = guardOf(world);
  if (link === undefined || !guard.alive) return;
  observe(world, guard, link, { isIdentified: false, end: 'there', saidGoodbye: false });
}

/** The guard closes a connection itself, and the member notices it later. */
export function hangUp(world: World, node: Node, start: Start): void {
  const { link } = node;
  const guard = guardOf(world);
  if (link === undefined || !guard.alive || link.seen.end !== 'open') return;
  link.seen = { ...link.seen, end: 'here' };
  observe(world, guard, link, link.seen);
  noticeLater(world, node, start);
}

function noticeLater(world: World, node: Node, start: Start): void {
  const ms = between(world.random, 0, 2 * node.leaseMs);
  scheduleFor(world, node, ms, exposed, { start, isReserved: true });
}

interface Exposure {
  readonly start: Start;
  /** Whether the work that is fenced has its T, because no proof was possible (H3). */
  readonly isReserved: boolean;
}

/** A member that the guard may consider dead fences, and goes on as a new incarnation (L15). */
function exposed(world: World, { start, isReserved }: Exposure, node: Node): void {
  const { exposed: rule } = world.guardRules;
  if (rule === 'goes-on') return;
  node.hosted.forEach((hosted, partition) => {
    if (!hosted.leads()) return;
    if (isReserved) reserve(world, node, partition);
    if (rule === 'new-incarnation') return;
    hosted.end('superseded');
    take(world, node, partition, { kind: 'fenced', lapse: true });
  });
  if (rule === 'same-incarnation') return;
  noteStopped(world, node);
  node.link = undefined;
  endLife(node);
  scheduleFor(world, node, linkMs, start, undefined);
}

function reserve(world: World, node: Node, partition: number): void {
  const record = defined(world.judge.records[partition]);
  record.reservedUntil = node.clock.realAt(defined(node.hosted[partition]).until);
  record.reservedBy = node.index;
}
