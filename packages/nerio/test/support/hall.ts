import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SourceOptions } from '@leadership/core';

const program = fileURLToPath(new URL('./voters.mjs', import.meta.url));

/** Where the voters of all groups sit. Disposing ends them. */
export interface Hall extends AsyncDisposable {
  /** A member of the group has come; the first says what its voters are opened with. */
  enter(group: string, options: SourceOptions): void;
  /** One has gone. */
  leave(group: string): void;
  /** All voters of the group start again, without memory. */
  forget(group: string): Promise<void>;
}

/** Opens it, for groups whose book is in that directory. */
export function openHall(directory: string): Hall {
  const child = fork(program, [directory], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = once(child, 'exit');
  const tell = (message: object): void => void (child.connected && child.send(message));
  return {
    enter(group, { partitions, thresholdMs, thresholdMsMax, driftRate }) {
      tell({ kind: 'enter', group, options: { partitions, thresholdMs, thresholdMsMax, driftRate } });
    },
    leave: (group) => tell({ kind: 'leave', group }),
    forget(group) {
      return new Promise((resolve) => {
        const hear = (told: { readonly group: string }): void => {
          if (told.group !== group) return;
          child.off('message', hear);
          resolve();
        };
        child.on('message', hear);
        tell({ kind: 'forget', group });
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
