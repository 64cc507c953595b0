// Loaded into the process of a member before its program (`node --import`), so that the demo can
// cut it off from the network: a process of an application has no such switch.
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const open = new Set<Socket>();
let isCut = false;

// Follows the TCP connections of this process, in both directions. A cut resets them, and every
// later one before it has sent anything, until the cut is mended.
for (const direction of ['client', 'server']) subscribe(`net.${direction}.socket`, follow);
process.on('message', (message) => {
  isCut = message === 'cut';
  if (isCut) for (const socket of open) reset(socket);
});
process.channel?.unref();

function follow(message: unknown): void {
  const { socket } = message as { readonly socket: Socket };
  // Its creator has not added its listeners yet.
  if (isCut) return process.nextTick(reset, socket);
  open.add(socket);
  socket.once('close', () => open.delete(socket));
}

function reset(socket: Socket): void {
  socket.destroy(Object.assign(new Error('cut off by the demo'), { code: 'ECONNRESET' }));
}
