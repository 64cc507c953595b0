// A copy of a member. Its state is plain data beside two indexes of it, which are built again.
import { Balance, Due, type MemberState, placeHolder } from '@leadership/core/internal/sessions';

/** Returns a member that shares nothing with `state` but what never changes. */
export function copyOf(state: MemberState): MemberState {
  const { config, rules, position, due: _due, balance: _balance, ...plain } = state;
  const copy: MemberState = {
    ...cloned({ ...plain, outputs: [] }, new Map()),
    config,
    rules,
    position,
    due: new Due(),
    balance: new Balance(config.partitions),
  };
  for (const partition of copy.partitions) placeHolder(copy, partition);
  copy.balance.members(copy.members, undefined, copy.limits);
  copy.balance.settle();
  for (const one of [...copy.partitions, ...copy.sessions.values()]) {
    const { dueAt } = one;
    one.dueAt = Number.POSITIVE_INFINITY as typeof dueAt;
    copy.due.set(one, dueAt);
  }
  return copy;
}

/** Clones plain data, which may refer to a part twice. `structuredClone` takes longer. */
function cloned<Value>(value: Value, seen: Map<unknown, unknown>): Value {
  if (typeof value !== 'object' || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known as Value;
  if (value instanceof Map) return clonedMap(value, seen) as Value;
  if (value instanceof Set) return clonedSet(value, seen) as Value;
  const made = (Array.isArray(value) ? [] : {}) as Value;
  seen.set(value, made);
  for (const name of Object.keys(value) as (keyof Value)[]) made[name] = cloned(value[name], seen);
  return made;
}

function clonedMap(map: ReadonlyMap<unknown, unknown>, seen: Map<unknown, unknown>): unknown {
  const made = new Map<unknown, unknown>();
  seen.set(map, made);
  for (const [key, value] of map) made.set(key, cloned(value, seen));
  return made;
}

function clonedSet(set: ReadonlySet<unknown>, seen: Map<unknown, unknown>): unknown {
  const made = new Set<unknown>();
  seen.set(set, made);
  for (const value of set) made.add(cloned(value, seen));
  return made;
}
