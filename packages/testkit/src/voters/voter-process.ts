// Starts the voters of Nerio and gossip groups in tests, in a process of their own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SourceOptions } from '@leadership/core';
import { voters } from './open-voter.ts';
import type { VoterCommand } from './voter-program.ts';

/** As it is built, also when this file runs from its source: Node 20 runs no TypeScript. */
const here = import.meta.url;
const program = fileURLToPath(
  new URL(here.endsWith('.ts') ? '../../lib/voter-program.js' : './voter-program.js', here),
);

/** The process with the voters of all groups. Disposing ends it. */
export interface VoterProcess extends AsyncDisposable {
  /** A member of the group has started; the first one's options apply to the voters. */
  enter(group: string, options: SourceOptions): void;
  /** A member has ended. */
  leave(group: string): void;
  /** Restarts all voters of the group without memory. */
  forget(group: string): Promise<void>;
  /**
   * Ends all voters of the group but one, and starts them again without memory when the result
   * is disposed.
   */
  loseQuorum(group: string): Disposable;
}

/**
 * Starts the process, for groups whose book is in that directory. `module` is the URL of the module
 * that starts a voter: it exports `openVoter`. `names`: the voters of each group, three by default.
 */
export async function startVoters(
  directory: string,
  module: URL,
  names: readonly string[] = voters,
): Promise<VoterProcess> {
  const child = fork(program, [directory, module.href, names.join()], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  await once(child, 'message');
  const send = (command: VoterCommand): void => void (child.connected && child.send(command));
  return {
    enter(group, { partitions, thresholdMs, thresholdMsMax, driftRate }) {
      const options = { partitions, thresholdMs, thresholdMsMax, driftRate };
      // JSON cannot express `undefined`.
      send({ kind: 'enter', group, options: JSON.parse(JSON.stringify(options)) });
    },
    leave: (group) => send({ kind: 'leave', group }),
    forget(group) {
      return new Promise((resolve) => {
        const hear = (message: { readonly group?: string }): void => {
          if (message.group !== group) return;
          child.off('message', hear);
          resolve();
        };
        child.on('message', hear);
        send({ kind: 'forget', group });
      });
    },
    loseQuorum(group) {
      send({ kind: 'lose', group });
      return { [Symbol.dispose]: () => send({ kind: 'regain', group }) };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
