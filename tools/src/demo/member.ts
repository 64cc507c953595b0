// The program of one member. It runs as a child process, which the demo controls over the IPC
// channel.
import { openLeadership } from '@leadership/core';
import { type MemberConfig, optionsOf } from './member-handle.ts';
import type { Command, MemberMessage } from './member-message.ts';
import { runMember } from './run-member.ts';
import { tcpNetwork } from './tcp-network.ts';

const config = JSON.parse(process.argv[2] ?? '') as MemberConfig;
const network = tcpNetwork();
const source = await openLeadership(config.url, {
  ...optionsOf(config),
  ...(await transportOf(config)),
});
const send = (message: MemberMessage): void =>
  void (process.connected && process.send?.(message, () => undefined));

// Ctrl-C sends SIGINT to every process of the terminal. The member ignores it, because the demo
// ends its members itself, and exits when the demo has ended.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());

const act = runMember(source, network, send);
process.on('message', (command: Command) => act(command));
source.events$.subscribe({ complete: () => process.disconnect?.() });

/** Returns the transport option for backends whose members connect to each other. */
async function transportOf({ peers }: MemberConfig): Promise<object> {
  if (peers === undefined) return {};
  const { over, addresses } = peers;
  if (over === 'tcp') {
    const { tcpTransport } = await import('@leadership/nerio');
    return { transport: tcpTransport({ addresses }) };
  }
  const { udpTransport } = await import('@leadership/scuttlebutt');
  return { transport: udpTransport({ addresses }) };
}
