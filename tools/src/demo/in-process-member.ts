import { openLeadership } from '@leadership/core';
import type { MemoryGroup } from '@leadership/core/memory';
import { type MemberConfig, type MemberHandle, optionsOf } from './member-handle.ts';
import type { Command, MemberMessage } from './member-message.ts';
import { runMember } from './run-member.ts';

/**
 * Starts a member in the demo's own process, for the memory backend. The process cannot be killed
 * for one member, so a crash is a close without a network, which releases nothing. For the other members
 * this is the same: the lease has to expire.
 */
export function startInProcessMember(
  config: MemberConfig,
  onMessage: (message: MemberMessage) => void,
  group: MemoryGroup,
): MemberHandle {
  const opening = openLeadership(config.url, optionsOf(config));
  const { member } = config;
  const network = { cut: () => group.cut(member), mend: () => group.mend(member) };
  const act = opening.then((source) => runMember(source, network, onMessage));
  const over = opening.then(
    (source) =>
      new Promise<undefined>((resolve) =>
        source.events$.subscribe({ complete: () => resolve(undefined) }),
      ),
  );
  return {
    member,
    pid: process.pid,
    exited: over.catch(String),
    send: (command: Command) =>
      void act.then(
        (does) => does(command),
        () => undefined,
      ),
    crash() {
      const atNs = process.hrtime.bigint();
      void opening.then(
        (source) => {
          network.cut();
          return source.close({ signal: AbortSignal.abort() });
        },
        () => undefined,
      );
      return atNs;
    },
  };
}
