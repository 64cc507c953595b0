// A child of the Nerio benchmarks: says back whatever it is told.
import { type AddressInfo, createServer } from 'node:net';
import { say } from '../process/parent.ts';

const server = createServer({ noDelay: true }, (socket) => socket.on('error', () => undefined).pipe(socket));
server.listen(0, '127.0.0.1', () => void say({ kind: 'listening', port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
