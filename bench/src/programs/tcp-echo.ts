// A child process of the Nerio benchmarks: returns every byte that it receives.
import { type AddressInfo, createServer } from 'node:net';
import { say } from '../process/parent.ts';

const server = createServer({ noDelay: true }, (socket) =>
  socket.on('error', () => undefined).pipe(socket),
);
server.listen(
  0,
  '127.0.0.1',
  () => void say({ kind: 'listening', port: (server.address() as AddressInfo).port }),
);
process.on('disconnect', () => process.exit());
