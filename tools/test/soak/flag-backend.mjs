// The file backend with a common mistake: `isLeading()` returns a flag that events set and clear,
// instead of reading the clock.
import { backend as right } from '@leadership/file';

export const backend = {
  ...right,
  open: (address, options) => flagged(right.open(address, options)),
};

function flagged(source) {
  const flags = Array.from({ length: source.partitions }, (_, partition) => {
    const flag = { isUp: false };
    source.role(partition).leadership$.subscribe(({ state }) => {
      flag.isUp = state === 'leading' || state === 'revoking';
    });
    return flag;
  });
  const role = (key) =>
    replacing(source.role(key), { isLeading: () => flags[source.role(key).partition].isUp });
  return replacing(source, { role });
}

/**
 * Returns a proxy of the object with some methods replaced. The other methods keep their own
 * `this`.
 */
function replacing(target, replaced) {
  const get = (_, name) => {
    if (Object.hasOwn(replaced, name)) return replaced[name];
    const value = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  return new Proxy(target, { get });
}
