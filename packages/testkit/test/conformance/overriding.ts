import type { LeadershipSource, Role } from '@leadership/core';

/** Returns `target` with some of its members replaced. */
export function overriding<T extends object>(target: T, overrides: Partial<T>): T {
  return new Proxy(target, {
    get(object, key) {
      if (Object.hasOwn(overrides, key)) return Reflect.get(overrides, key) as unknown;
      const value: unknown = Reflect.get(object, key, object);
      return typeof value === 'function' ? (value.bind(object) as unknown) : value;
    },
  });
}

/** Returns a source with some members of its roles replaced. */
export function withRoles(
  source: LeadershipSource,
  change: (role: Role) => Partial<Role>,
): LeadershipSource {
  const roles = new Map<string | number, Role>();
  const role = (key: string | number): Role => {
    const right = source.role(key);
    const known = roles.get(right.partition) ?? overriding(right, change(right));
    roles.set(right.partition, known);
    return known;
  };
  return overriding(source, { role });
}
