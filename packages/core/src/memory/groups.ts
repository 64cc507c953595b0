import { Group, type MemoryGroup } from './memory-group.ts';

const groups = new Map<string, WeakRef<Group>>();
const collected = new FinalizationRegistry<string>((name) => {
  if (groups.get(name)?.deref() === undefined) groups.delete(name);
});

/** The group of that name in this thread: the one `memory:NAME` joins too. Kept as long as anyone holds it or is a member. */
export function memoryGroup(name: string): MemoryGroup {
  const known = groups.get(name)?.deref();
  if (known) return known;
  const group = new Group(name);
  groups.set(name, new WeakRef(group));
  collected.register(group, name);
  return group;
}
