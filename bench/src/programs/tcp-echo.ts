// A child process of the Nerio benchmarks: returns every byte that it receives.
import { type AddressInfo, createServer } from 'node:net';
import { report } from '@leadership/tools/processes';

const server = createServer({ noDelay: true }, (socket) =>
  socket.on('error', () => undefined).pipe(socket),
);
server.listen(
  0,
  '127.0.0.1',
  () => void report({ kind: 'listening', port: (server.address() as AddressInfo).port }),
);
process.on('disconnect', () => process.exit());
