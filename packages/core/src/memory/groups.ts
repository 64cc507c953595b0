import { Group, type MemoryGroup } from './memory-group.ts';

const groups = new Map<string, WeakRef<Group>>();
const collected = new FinalizationRegistry<string>((name) => {
  if (groups.get(name)?.deref() === undefined) groups.delete(name);
});

/**
 * Returns the group of that name in this thread, the same that `memory:NAME` joins. It exists while
 * it has members or is referenced.
 */
export function memoryGroup(name: string): MemoryGroup {
  const known = groups.get(name)?.deref();
  if (known) return known;
  const group = new Group(name);
  groups.set(name, new WeakRef(group));
  collected.register(group, name);
  return group;
}
