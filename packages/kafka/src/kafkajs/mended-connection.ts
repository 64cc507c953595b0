// A connection of KafkaJS 2.2 begins anew on what its last socket left: half an answer that came before the way was cut stands before
// the first one that comes after it, and two requests that find it closed open two sockets whose bytes it reads as one stream. Both end
// in sizes that are none: answers that never come, or a RangeError in an event that nobody can catch, which ends the process. So each
// time it connects it begins with nothing, once. And a connection that fails again and again is disconnected each time with the socket it
// had last: Node keeps a listener for each `unref` of a socket that is gone, and warns of the eleventh.
import type { Socket } from 'node:net';
import { fieldOf } from './connections-of.ts';

interface Connection {
  socket?: Socket;
  chunks: readonly unknown[];
  bytesBuffered: number;
  bytesNeeded: number;
  connect(): Promise<unknown>;
  isConnected(): boolean;
  rejectRequests(error: Error): void;
}

/** An answer begins with its size. Bytes. */
const sizeBytes = 4;

/** Makes a connection begin with nothing each time it connects. Returns whether it is built as expected. */
export function mendConnection(connection: unknown): boolean {
  if (!isConnection(connection)) return false;
  const connect = connection.connect.bind(connection);
  let connecting: Promise<unknown> | undefined;
  connection.connect = () => {
    if (connecting !== undefined || connection.isConnected()) return connecting ?? connect();
    clear(connection);
    const before = connection.socket;
    const begun = connect().finally(() => {
      connecting = undefined;
    });
    if (connection.socket !== before) calmUnref(connection.socket);
    connecting = begun;
    return begun;
  };
  return true;
}

/** What is still asked of the last socket is answered by nobody. */
function clear(connection: Connection): void {
  connection.socket?.removeAllListeners('data').destroy();
  connection.rejectRequests(new Error('another connection takes its place'));
  connection.chunks = [];
  connection.bytesBuffered = 0;
  connection.bytesNeeded = sizeBytes;
}

/** A socket that is gone keeps no process alive: there is nothing to remember. */
function calmUnref(socket: Socket | undefined): void {
  if (socket === undefined) return;
  const unref = socket.unref.bind(socket);
  socket.unref = () => (socket.destroyed ? socket : unref());
}

function isConnection(value: unknown): value is Connection {
  const methods = ['connect', 'isConnected', 'rejectRequests'];
  const isBuffering = Array.isArray(fieldOf(value, 'chunks')) && typeof fieldOf(value, 'bytesBuffered') === 'number';
  return isBuffering && methods.every((name) => typeof fieldOf(value, name) === 'function');
}
