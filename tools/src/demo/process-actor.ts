import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Actor, Part } from './actor.ts';
import type { Note } from './note.ts';

/** Beside this file once it is built: Node 20 runs no TypeScript. */
const program = fileURLToPath(new URL('./member.js', import.meta.url));

/** A member in a process of its own: its crash is a SIGKILL. */
export function processActor(part: Part, tell: (note: Note) => void): Actor {
  // `advanced`, because tokens and instants are bigints; stdout belongs to the demo.
  const child = fork(program, [JSON.stringify(part)], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  let isAskedToEnd = false;
  child.on('message', (note) => tell(note as Note));
  const gone = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(String(error)));
    child.once('exit', (code, signal) =>
      resolve(isAskedToEnd ? undefined : `${part.member} ended by itself: ${signal ?? `exit code ${code}`}`),
    );
  });
  return {
    member: part.member,
    pid: child.pid ?? 0,
    gone,
    tell(command) {
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
