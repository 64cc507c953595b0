import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { MemberConfig, MemberHandle } from './member-handle.ts';
import type { Note } from './note.ts';

/** The compiled program, next to this file in `dist`: Node 20 does not run TypeScript. */
const program = fileURLToPath(new URL('./member.js', import.meta.url));

/** Starts a member in its own process. A crash is a SIGKILL. */
export function startProcessMember(
  config: MemberConfig,
  onNote: (note: Note) => void,
): MemberHandle {
  // `advanced` serialization supports bigints. The child gets no stdout, because the demo writes
  // there.
  const child = fork(program, [JSON.stringify(config)], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let isAskedToEnd = false;
  child.on('message', (note) => onNote(note as Note));
  const exited = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(String(error)));
    child.once('exit', (code, signal) =>
      resolve(
        isAskedToEnd
          ? undefined
          : `${config.member} ended unexpectedly: ${signal ?? `exit code ${code}`}`,
      ),
    );
  });
  return {
    member: config.member,
    pid: child.pid ?? 0,
    exited,
    send(command) {
      isAskedToEnd ||= command === 'close';
      if (child.connected) child.send(command, () => undefined);
    },
    crash() {
      isAskedToEnd = true;
      const atNs = process.hrtime.bigint();
      child.kill('SIGKILL');
      return atNs;
    },
  };
}
