// Repairs the reconnection of KafkaJS 2.2, which has three defects:
//
// - A partial answer from the last socket stays in the buffer, in front of the next socket's bytes.
// - Two requests on a closed connection open two sockets, and their bytes are read as one stream.
// - After repeated failures, `unref` of a destroyed socket adds a listener each time, and Node
//   warns of the eleventh.
//
// The first two produce wrong sizes: answers that never arrive, or a RangeError in an event
// handler, which ends the process. So each reconnection clears the buffer, and opens one socket.
import type { Socket } from 'node:net';
import { fieldOf } from './visit-connections.ts';

interface Connection {
  socket?: Socket;
  chunks: readonly unknown[];
  bytesBuffered: number;
  bytesNeeded: number;
  connect(): Promise<unknown>;
  isConnected(): boolean;
  rejectRequests(error: Error): void;
}

/** The length of the size field at the start of an answer, in bytes. */
const sizeBytes = 4;

/**
 * Makes a connection start with an empty buffer each time it connects. Returns whether the patch
 * could be applied.
 */
export function patchConnection(connection: unknown): boolean {
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

/** Ends the last socket, rejects its requests and clears the buffer. */
function clear(connection: Connection): void {
  connection.socket?.removeAllListeners('data').destroy();
  connection.rejectRequests(new Error('another connection takes its place'));
  connection.chunks = [];
  connection.bytesBuffered = 0;
  connection.bytesNeeded = sizeBytes;
}

/**
 * Makes `unref` of a destroyed socket do nothing: such a socket does not keep the process alive.
 */
function calmUnref(socket: Socket | undefined): void {
  if (socket === undefined) return;
  const unref = socket.unref.bind(socket);
  socket.unref = () => (socket.destroyed ? socket : unref());
}

function isConnection(value: unknown): value is Connection {
  const methods = ['connect', 'isConnected', 'rejectRequests'];
  const isBuffering =
    Array.isArray(fieldOf(value, 'chunks')) && typeof fieldOf(value, 'bytesBuffered') === 'number';
  return isBuffering && methods.every((name) => typeof fieldOf(value, name) === 'function');
}
