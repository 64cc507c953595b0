// A helper of the Nerio benchmarks: returns every byte that it receives over TCP.
import { type AddressInfo, createServer } from 'node:net';

const server = createServer({ noDelay: true }, (socket) =>
  socket.on('error', () => undefined).pipe(socket),
);
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
process.on('disconnect', () => process.exit());
