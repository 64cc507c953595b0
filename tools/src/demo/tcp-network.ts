import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Network } from './run-member.ts';

/**
 * Follows the TCP connections of this process from here on, in both directions. A cut resets them,
 * and every later one before it has sent anything, until the cut is mended.
 */
export function tcpNetwork(): Network {
  const open = new Set<Socket>();
  let isCut = false;
  const reset = (socket: Socket): void =>
    void socket.destroy(Object.assign(new Error('cut off by the demo'), { code: 'ECONNRESET' }));
  const follow = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    // Its creator has not added its listeners yet.
    if (isCut) return process.nextTick(reset, socket);
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  for (const direction of ['client', 'server']) subscribe(`net.${direction}.socket`, follow);
  return {
    cut() {
      isCut = true;
      for (const socket of open) reset(socket);
    },
    mend() {
      isCut = false;
    },
  };
}
