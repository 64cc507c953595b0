// The file backend with a mistake: a promise rejects without a handler, 100 ms after the source is
// ready.
import { backend as right } from '@leadership/file';

export const backend = {
  ...right,
  open(address, options) {
    const source = right.open(address, options);
    source
      .ready()
      .then(() => setTimeout(() => Promise.reject(new Error('rejection without a handler')), 100));
    return source;
  },
};
