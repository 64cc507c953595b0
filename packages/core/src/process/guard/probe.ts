// Finds out whether a process still listens on a Unix socket: the guard proves deaths with it.
import { createConnection } from 'node:net';

/** How an address of a Unix socket answers. */
type AddressAnswer = 'accepts' | 'refuses' | 'missing' | 'unknown';

/** How long a connection attempt may take. The kernel answers at once, unless a backlog is full. */
const answerMsMax = 1000;

/**
 * Connects to a Unix socket, and closes the connection at once. `refuses` means that the file of
 * the socket exists, and that no process listens on it (L13).
 */
export function probeAddress(path: string): Promise<AddressAnswer> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    const answer = (how: AddressAnswer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(how);
    };
    const timer = setTimeout(() => answer('unknown'), answerMsMax);
    socket.once('connect', () => answer('accepts'));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') answer('refuses');
      else answer(error.code === 'ENOENT' ? 'missing' : 'unknown');
    });
  });
}
