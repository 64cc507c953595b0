import { drift, faultSchedule, restartMs, wallStep } from '../kernel/faults.ts';
import { quick } from '../kernel/network.ts';
import { happens, pick } from '../kernel/random.ts';
import { type Handler, schedule, scheduleFor } from '../kernel/timeline.ts';
import { feed } from './engine.ts';
import { judgeSettled } from './judge.ts';
import { kill, start } from './node.ts';
import type { FaultKind } from './scenario.ts';
import type { Node, World } from './world.ts';

/** Faults rest for that long, in T, after they have struck for so long. */
const calmThresholds = 60;
const roughThresholds = 540;
/** The earlier states that a restored store may have, and how often one is kept, in T. */
const pastMax = 40;
const keepThresholds = 1 / 8;
/** How many states the copy that takes over may be behind. */
const lagMax = 8;

type Fault = (world: World, node: Node, lastsMs: number) => void;

const faults: Readonly<Record<FaultKind, Fault>> = {
  restart: (world, node, lastsMs) => kill(world, node, restartMs(world, lastsMs)),
  pause(world, node, lastsMs) {
    node.pausedUntil = world.now + lastsMs;
  },
  cut(world, node, lastsMs) {
    const way = world.random.next();
    if (way < 0.7) node.cutOut = world.now + lastsMs;
    if (way > 0.3) node.cutIn = world.now + lastsMs;
  },
  leave(world, node, lastsMs) {
    feed(world, node, { kind: 'close' });
    scheduleFor(world, node, lastsMs, left, lastsMs);
  },
  resign(world, node) {
    const [partition] = node.terms.keys();
    if (partition !== undefined) feed(world, node, { kind: 'resign', partition, abstainMs: 0 });
  },
  drift,
  'wall-step': wallStep,
  'row-removed'(world) {
    const name = anyRow(world);
    if (name !== undefined) world.store.put(name, null);
  },
  'history-lost'(world) {
    const rows = world.past[Math.floor(world.random.next() * world.past.length)];
    if (rows !== undefined) world.store.restore(rows);
  },
  'old-copy'(world, _node, lastsMs) {
    const store = world.store.copy();
    for (const node of world.nodes)
      if (happens(world.random, 0.5)) node.oldCopy = { store, until: world.now + lastsMs };
    // The copy that takes over may lack the newest changes.
    const rows = happens(world.random, 0.5)
      ? pick(world.random, world.past.slice(-lagMax))
      : undefined;
    world.store.restore(rows ?? world.store.rows);
  },
  muted(world, node, lastsMs) {
    node.mutedUntil = world.now + 2 * lastsMs;
  },
  garbage(world) {
    const partition = Math.floor(world.random.next() * world.scenario.partitions);
    // A text that was there before would be a row that went back, which no store may show.
    const text = `${pick(world.random, ['{', '7', '{"kind":"hold","id":"'])}${world.now}`;
    world.store.put(`partition#${partition}`, text);
  },
};

/** A member that leaves ends its process whether it has closed in order or not. */
function left(world: World, awayMs: number, node: Node): void {
  kill({ ...world, scenario: { ...world.scenario, isGuarded: false } }, node, awayMs);
}

function anyRow({ store, random }: World): string | undefined {
  const names = [...store.rows.keys()].filter((name) => name !== 'pin');
  return names.length === 0 ? undefined : pick(random, names);
}

const begin = faultSchedule<FaultKind, World, Node>({
  faults: Object.fromEntries(
    Object.entries(faults).map(([kind, fault]): [string, Fault] => [
      kind,
      (world, node, lastsMs) => {
        if (!world.isCalm) fault(world, node, lastsMs);
      },
    ]),
  ) as Record<FaultKind, Fault>,
  whilePaused: ['restart', 'row-removed', 'history-lost', 'old-copy', 'garbage'],
});

/** Schedules the faults of a world, its quiet times, and the copies of its rows. */
export function beginFaults(world: World): void {
  begin(world);
  schedule(world, roughThresholds * world.scenario.thresholdMs, calm, undefined);
  schedule(world, 0, keep, undefined);
}

const keep: Handler<World, never, undefined> = (world) => {
  world.past.push([...world.store.rows]);
  if (world.past.length > pastMax) world.past.shift();
  schedule(world, keepThresholds * world.scenario.thresholdMs, keep, undefined);
};

/** Ends all faults, and lets the members settle. */
const calm: Handler<World, never, undefined> = (world) => {
  world.isCalm = true;
  world.network = quick;
  for (const node of world.nodes) {
    node.cutOut = 0;
    node.cutIn = 0;
    node.mutedUntil = 0;
    node.oldCopy = undefined;
    if (!node.alive) start(world, undefined, node);
  }
  schedule(world, calmThresholds * world.scenario.thresholdMs, rough, undefined);
};

const rough: Handler<World, never, undefined> = (world) => {
  judgeSettled(world);
  world.isCalm = false;
  world.network = world.scenario.network;
  schedule(world, roughThresholds * world.scenario.thresholdMs, calm, undefined);
};
