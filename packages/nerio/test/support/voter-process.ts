import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SourceOptions } from '@leadership/core';

const program = fileURLToPath(new URL('./voters.mjs', import.meta.url));

/** The process with the voters of all groups. Disposing ends it. */
export interface VoterProcess extends AsyncDisposable {
  /** A member of the group has started; the first one's options apply to the voters. */
  enter(group: string, options: SourceOptions): void;
  /** A member has ended. */
  leave(group: string): void;
  /** Restarts all voters of the group without memory. */
  forget(group: string): Promise<void>;
  /**
   * Ends two of the three voters of the group, and starts them again without memory when the result
   * is disposed.
   */
  loseQuorum(group: string): Disposable;
}

/** Starts the process, for groups whose book is in that directory. */
export function startVoters(directory: string): VoterProcess {
  const child = fork(program, [directory], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = once(child, 'exit');
  const tell = (message: object): void => void (child.connected && child.send(message));
  return {
    enter(group, { partitions, thresholdMs, thresholdMsMax, driftRate }) {
      tell({
        kind: 'enter',
        group,
        options: { partitions, thresholdMs, thresholdMsMax, driftRate },
      });
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
    loseQuorum(group) {
      tell({ kind: 'lose', group });
      return { [Symbol.dispose]: () => tell({ kind: 'regain', group }) };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
