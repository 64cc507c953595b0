// The file backend made wrong in the way electors usually are: `isLeading()` is a flag that news sets and clears, not a look at the clock.
import { backend as right } from '@leadership/file';

export const backend = { ...right, open: (address, options) => flagged(right.open(address, options)) };

function flagged(source) {
  const flags = Array.from({ length: source.partitions }, (_, partition) => {
    const flag = { isUp: false };
    source.role(partition).leadership$.subscribe(({ state }) => {
      flag.isUp = state === 'leading' || state === 'revoking';
    });
    return flag;
  });
  const role = (key) => replacing(source.role(key), { isLeading: () => flags[source.role(key).partition].isUp });
  return replacing(source, { role });
}

/** The object with some methods replaced; all others keep their own `this`. */
function replacing(target, replaced) {
  const get = (_, name) => {
    if (Object.hasOwn(replaced, name)) return replaced[name];
    const value = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  return new Proxy(target, { get });
}
