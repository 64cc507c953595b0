// A backend whose source, if it is closed before it is ready, keeps the process for another while.
import { setTimeout as pause } from 'node:timers/promises';
import { backend as right } from '../../../core/dist/memory/backend-module.js';

export const backend = {
  ...right,
  open(address, options) {
    const source = right.open(address, options);
    let isReady = false;
    source.ready().then(
      () => {
        isReady = true;
      },
      () => undefined,
    );
    const close = source.close.bind(source);
    return Object.assign(source, {
      close(...how) {
        if (!isReady) void pause(2000);
        return close(...how);
      },
    });
  },
};
