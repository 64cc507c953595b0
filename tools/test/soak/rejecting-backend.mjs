// The file backend with a mistake that nobody catches: once it has led for a while, a promise of it rejects without a handler.
import { backend as right } from '@leadership/file';

export const backend = {
  ...right,
  open(address, options) {
    const source = right.open(address, options);
    source.ready().then(() => setTimeout(() => Promise.reject(new Error('nobody handles this')), 100));
    return source;
  },
};
