// Loaded into kinesis-local before its own code. It reads the address of every new connection. One
// that was reset before it was accepted has none, and kinesis-local then stops listening for good:
// a member that is cut off or killed while the emulator waits for a core would end the service.
import { Server, type Socket } from 'node:net';

const emit: (this: Server, event: string | symbol, ...values: unknown[]) => boolean =
  Server.prototype.emit;

Server.prototype.emit = function (this: Server, event: string | symbol, ...values: unknown[]) {
  const [socket] = values as [Socket | undefined];
  if (event !== 'connection' || socket?.remoteAddress !== undefined)
    return emit.call(this, event, ...values);
  socket?.destroy();
  return false;
};
