// The state of the group: parts that the server sends once, and again when they change.
const kinds = ['group', 'problems', 'partition', 'member', 'lease', 'term'];
const byKind = (create) => Object.fromEntries(kinds.map((kind) => [kind, create()]));
/** The parts by kind and key: `held.partition.get('3')`. */
export const held = byKind(() => new Map());
/** The keys of the parts that have changed since they were last shown. */
export const changed = byKind(() => new Set());
/** The wall clock of the server at the last message. */
export let serverMs = 0;

/** Takes a message of the server over. The message after a new connection holds all parts. */
export function receive({ atMs, clockMs, isWhole = false, parts = {}, gone = [] }) {
  serverMs = atMs;
  const ownClock = performance.now() - clockMs;
  for (const name of isWhole ? namesHeld() : gone) if (!Object.hasOwn(parts, name)) drop(name);
  for (const [name, part] of Object.entries(parts)) put(name, part, ownClock);
}

export function forgetChanges() {
  for (const keys of Object.values(changed)) keys.clear();
}

function put(name, part, ownClock) {
  const [kind, key] = partsOfName(name);
  // The ends of leases, by the clock of this page.
  if (typeof part.lease === 'number') part.lease += ownClock;
  held[kind].set(key, kind === 'lease' ? part + ownClock : part);
  changed[kind].add(key);
}

function drop(name) {
  const [kind, key] = partsOfName(name);
  held[kind].delete(key);
  changed[kind].add(key);
}

function partsOfName(name) {
  const end = name.indexOf(' ');
  return end < 0 ? [name, ''] : [name.slice(0, end), name.slice(end + 1)];
}

function namesHeld() {
  return kinds.flatMap((kind) =>
    [...held[kind].keys()].map((key) => (key === '' ? kind : `${kind} ${key}`)),
  );
}
