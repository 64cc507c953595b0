import {
  batchText,
  copyTexts,
  type MemoryLog,
  resetText,
  withSum,
} from '@leadership/core/internal/sessions';
import { drift, faultSchedule, restartMs, wallStep } from '../kernel/faults.ts';
import { quick } from '../kernel/network.ts';
import { defined, happens, pick } from '../kernel/random.ts';
import { type Handler, schedule, scheduleFor } from '../kernel/timeline.ts';
import { denyChanges, mute } from './denial.ts';
import {
  beginToLeave,
  closeConnection,
  closeListener,
  deleteSocket,
  expose,
  hangUp,
  sayGoodbye,
  stray,
} from './guard.ts';
import { appendForeign, recreate } from './log.ts';
import { type FaultKind, mayLose } from './scenario.ts';
import type { Node, World } from './world.ts';

/** The earlier states that a restored store may have, and how often one is kept, in T. */
const pastMax = 40;
const keepThresholds = 1 / 8;
/** How many states the copy that takes over may be behind. */
const lagMax = 8;
/** How many records a log loses at its end, and at its start. */
const lostMax = 20;
const prefixMax = 80;
/** The longest part of a copy. Characters. */
const partLengthMax = 900;

type Fault = (world: World, node: Node, lastsMs: number) => void;

/** The effect of each fault. One that lasts ends after a while. */
export const faults: Readonly<Record<FaultKind, Fault>> = {
  restart: (world, node, lastsMs) =>
    world.members.kill(node, restartMs(world, lastsMs), world.scenario.isGuarded),
  pause(world, node, lastsMs) {
    node.pausedUntil = world.now + lastsMs;
  },
  cut(world, node, lastsMs) {
    const way = world.random.next();
    if (way < 0.7) node.cutOut = world.now + lastsMs;
    if (way > 0.3) node.cutIn = world.now + lastsMs;
  },
  leave(world, node, lastsMs) {
    world.members.close(node);
    beginToLeave(world, node);
    scheduleFor(world, node, lastsMs, left, lastsMs);
  },
  resign: (world, node) => world.members.resign(node),
  drift,
  'wall-step': wallStep,
  'row-removed'(world) {
    const name = anyRow(world);
    if (name !== undefined) put(world, name, null);
  },
  'history-lost'(world) {
    if (world.log) return world.log.log.changeLeader(Math.floor(world.random.next() * lostMax));
    const rows = world.past[Math.floor(world.random.next() * world.past.length)];
    if (rows !== undefined) world.store.restore(rows);
  },
  'loss-hidden'({ hidden }) {
    hidden.isNext = true;
  },
  'old-copy'(world, _node, lastsMs) {
    if (world.log) return superseded(world, world.log.log, lastsMs);
    const store = world.store.copy();
    for (const node of world.nodes)
      if (happens(world.random, 0.5)) node.oldCopy = { store, until: world.now + lastsMs };
    // The copy that takes over may lack the newest changes.
    const rows = happens(world.random, 0.5)
      ? pick(world.random, world.past.slice(-lagMax))
      : undefined;
    world.store.restore(rows ?? world.store.rows);
  },
  wiped(world) {
    world.store.restore([]);
    if (!world.storeRules.floorOutlivesRows) world.floor.token = 0n;
  },
  'no-floor'(world, node, lastsMs) {
    node.noFloorUntil = world.now + lastsMs;
  },
  muted: mute,
  'read-only': denyChanges,
  unanswered(world, node, lastsMs) {
    node.unansweredUntil = world.now + lastsMs;
  },
  garbage(world) {
    const partition = Math.floor(world.random.next() * world.scenario.partitions);
    // A text that was there before would be a row that went back, which no store may show.
    const text = `${pick(world.random, ['{', '7', '{"kind":"hold","id":"'])}${world.now}`;
    put(world, `partition#${partition}`, text);
  },
  'newer-kind': (world) => edit(world, { kind: 'keep' }),
  'next-session': writeNextSession,
  'edited-row': editOwner,
  'hostile-token': (world) => edit(world, { token: `${lastToken}` }),
  'leader-changed'(world) {
    world.log?.log.changeLeader();
  },
  recreated: recreate,
  'wrong-copy'(world) {
    if (world.log) appendWrongCopy(world, world.log.log);
  },
  'prefix-lost'({ log, random }) {
    if (log === undefined) return;
    const { start, end } = log.log;
    const from = happens(random, 0.5) ? start : end - 0.1 * prefixMax;
    log.log.cut(Math.floor(from + random.next() * prefixMax));
  },
  compacted({ log, random, now }, _node, lastsMs) {
    if (log === undefined) return;
    const { start, end } = log.log;
    const below = start + Math.floor(random.next() * (end - start));
    // The cleaner goes from the beginning of the log to some segment.
    log.log.compact(happens(random, 0.5) ? start : start + (below - start) / 2, below);
    log.refusesUntil = now + lastsMs;
  },
  'close-connection': closeConnection,
  'close-listener': (_world, node) => closeListener(node),
  'delete-socket': (_world, node) => deleteSocket(node),
  expose,
  stray,
  'hang-up': hangUp,
};

/** The greatest token that a record can carry. */
const lastToken = 2n ** 63n - 1n;

/** How many of the sessions that a member opens next may have a row. */
const nextMax = 3;

/** Writes a row of a session that a member has not opened yet: a living one, a dead one, or any text. */
function writeNextSession(world: World, { incarnation, state }: Node): void {
  const { random, now, scenario } = world;
  const number = state.openings.count + 1 + Math.floor(random.next() * nextMax);
  const id = `${incarnation}/${number}`;
  const kind = pick(random, ['live', 'ended', 'deposed', 'other']);
  const version = Math.floor(random.next() * 9);
  const { thresholdMs } = scenario;
  const fields = { kind, session: id, version, thresholdMs, wants: [0], id: `by hand ${now}` };
  // With its sum, or a dead session would count as alive.
  const text = withSum(JSON.stringify(fields));
  put(world, `session#${id}`, happens(random, 0.2) ? `{${now}` : text);
}

/**
 * Ends a session, or gives a partition to another session or to none, as somebody does who edits its row:
 * with the id of the record before, with another id, or with a value that is not an id.
 */
function editOwner(world: World): void {
  const { random, now } = world;
  if (happens(random, 0.2)) return editSession(world);
  const name = `partition#${Math.floor(random.next() * world.scenario.partitions)}`;
  const text = rowsOf(world).get(name) ?? '';
  if (!text.startsWith('{"kind":"hold"') && !text.startsWith('{"kind":"release"')) return;
  const { version, session: _before, ...record } = JSON.parse(text) as Record<string, unknown>;
  const session = happens(random, 0.3) ? undefined : newOwner(world);
  const kind = session === undefined ? 'release' : pick(random, ['hold', 'release', 'keep']);
  const id = pick(random, [record['id'], `by hand ${now}`, 7]);
  const seen = 2 ** 40;
  const token = `${BigInt(String(record['token'])) + 1n}`;
  const later = Number(version) + pick(random, [0, 1, 1, 1, 2]);
  put(world, name, JSON.stringify({ ...record, kind, version: later, session, seen, token, id }));
}

/** Writes that a session has ended, which may lead. */
function editSession(world: World): void {
  const { random, now } = world;
  const live = [...rowsOf(world)].filter(([, text]) => text.startsWith('{"kind":"live"'));
  if (live.length === 0) return;
  const [name, text] = pick(random, live);
  const { version, ...fields } = JSON.parse(text) as Record<string, unknown>;
  const kind = pick(random, ['ended', 'deposed']);
  const later = Number(version) + 1;
  const session = name.slice('session#'.length);
  const isShort = happens(random, 0.5);
  const edited = isShort ? { kind, session, version: later } : { ...fields, kind, version: later };
  put(world, name, JSON.stringify({ ...edited, at: now }));
}

/** Returns a session to which somebody gives a partition: a living, a dead, or a next one, or none at all. */
function newOwner({ nodes, random, store }: World): string {
  const { incarnation, state } = pick(random, nodes);
  const known = [...store.rows.keys()].filter((name) => name.startsWith('session#'));
  const names = known.map((name) => name.slice('session#'.length));
  const present = state?.own?.row.id ?? `${incarnation}/1`;
  return pick(random, [
    present,
    `${incarnation}/${(state?.openings.count ?? 0) + 1}`,
    'nobody/1',
    ...names,
  ]);
}

/** Changes fields of a row that a session owns: as a later release writes it, or somebody by hand. */
function edit(world: World, fields: { readonly kind?: string; readonly token?: string }): void {
  const partition = Math.floor(world.random.next() * world.scenario.partitions);
  const name = `partition#${partition}`;
  const text = world.store.rows.get(name) ?? '';
  if (!text.startsWith('{"kind":"hold"')) return;
  const before = JSON.parse(text) as { readonly life: string; readonly version: number };
  const record = { ...before, version: before.version + 1, id: `by hand ${world.now}`, ...fields };
  put(world, name, withSum(JSON.stringify(record)));
  if (fields.token !== undefined) defined(world.judge.records[partition]).spoiled = record;
}

/** Sets a row by hand; in a log, by an entry of its own. */
function put(world: World, name: string, text: string | null): void {
  if (world.log === undefined) return world.store.put(name, text);
  const epoch = world.log.log.records.at(-1)?.epoch ?? 0;
  const expected = rowsOf(world).get(name) ?? null;
  appendForeign(world, batchText(`by hand ${world.now}`, epoch, [{ name, expected, text }]));
}

/** A leader is superseded that some processes still read, and the next one may lack its last records. */
function superseded(world: World, live: MemoryLog, lastsMs: number): void {
  const log = live.copy();
  for (const node of world.nodes)
    if (happens(world.random, 0.5)) node.oldLog = { log, until: world.now + lastsMs };
  live.changeLeader(happens(world.random, 0.5) ? Math.floor(world.random.next() * lagMax) : 0);
}

/** Appends a copy with rows of the past, all or some, or an entry that says that there are none. */
function appendWrongCopy(world: World, log: MemoryLog): void {
  const { random, past } = world;
  const rows = past[Math.floor(random.next() * past.length)] ?? [];
  const some = rows.filter(() => happens(random, 0.9));
  const upTo = Math.max(log.start, log.end - Math.floor(random.next() * lostMax));
  const epoch = log.records.at(-1)?.epoch ?? 0;
  if (happens(random, 0.2)) return appendForeign(world, resetText(epoch, upTo));
  for (const text of copyTexts(`wrong ${world.now}`, epoch, upTo, some, partLengthMax))
    appendForeign(world, text);
}

/** A member that leaves ends its process whether it has closed in order or not. */
function left(world: World, awayMs: number, node: Node): void {
  sayGoodbye(world, node);
  world.members.kill(node, awayMs, false);
}

/** Returns the rows; in a log, as a process knows them. */
function rowsOf({ log, store, nodes }: World): ReadonlyMap<string, string> {
  if (log === undefined) return store.rows;
  const known = nodes.find(({ alive, reader }) => alive && reader?.fold.isReady);
  return known?.reader?.fold.rows ?? new Map();
}

function anyRow(world: World): string | undefined {
  const { random } = world;
  const names = [...rowsOf(world).keys()].filter((name) => name !== 'pin');
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
  whilePaused: [
    'restart',
    'row-removed',
    'history-lost',
    'loss-hidden',
    'old-copy',
    'read-only',
    'garbage',
    'leader-changed',
    'recreated',
    'wrong-copy',
    'prefix-lost',
    'compacted',
    'wiped',
    'newer-kind',
    'next-session',
    'edited-row',
    'hostile-token',
  ],
});

/** Schedules the faults of a world, its quiet times, and the copies of its rows. */
export function beginFaults(world: World): void {
  begin(world);
  schedule(world, world.scenario.roughThresholds * world.scenario.thresholdMs, calm, undefined);
  if (mayLose(world.scenario)) schedule(world, 0, keep, undefined);
}

const keep: Handler<World, never, undefined> = (world) => {
  world.past.push([...rowsOf(world)]);
  if (world.past.length > pastMax) world.past.shift();
  schedule(world, keepThresholds * world.scenario.thresholdMs, keep, undefined);
};

/** Ends all faults, and lets the members settle. */
const calm: Handler<World, never, undefined> = (world) => {
  world.isCalm = true;
  world.network = quick;
  if (world.log) world.log.refusesUntil = 0;
  for (const node of world.nodes) {
    node.cutOut = 0;
    node.cutIn = 0;
    node.denial = undefined;
    node.unansweredUntil = 0;
    node.noFloorUntil = 0;
    node.oldCopy = undefined;
    node.oldLog = undefined;
    if (!node.alive) world.members.start(node);
  }
  schedule(world, world.scenario.calmThresholds * world.scenario.thresholdMs, rough, undefined);
};

const rough: Handler<World, never, undefined> = (world) => {
  world.members.judgeSettled();
  world.isCalm = false;
  world.network = world.scenario.network;
  schedule(world, world.scenario.roughThresholds * world.scenario.thresholdMs, calm, undefined);
};
