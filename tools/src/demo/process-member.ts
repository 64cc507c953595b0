import { startChild } from '../processes/start-child.ts';
import type { MemberConfig, MemberHandle } from './member-handle.ts';
import type { MemberMessage } from './member-message.ts';

/** The compiled program, next to this file in `dist`: Node 20 does not run TypeScript. */
const program = new URL('./member.js', import.meta.url);

/** Starts a member in its own process. A crash is a SIGKILL. */
export function startProcessMember(
  config: MemberConfig,
  onMessage: (message: MemberMessage) => void,
): MemberHandle {
  // The demo writes to its standard output.
  const child = startChild<MemberMessage>(program, { input: config, stdout: 'ignore' });
  let isAskedToEnd = false;
  child.listen(onMessage);
  return {
    member: config.member,
    pid: child.pid,
    exited: child.ended.then((how) =>
      isAskedToEnd ? undefined : `${config.member} ended unexpectedly: ${how}`,
    ),
    send(command) {
      isAskedToEnd ||= command === 'close';
      child.send(command);
    },
    signal: (signal) => void process.kill(child.pid, signal),
    crash() {
      isAskedToEnd = true;
      const atNs = process.hrtime.bigint();
      void child.kill();
      return atNs;
    },
  };
}
