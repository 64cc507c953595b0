// A peer that authenticates with a correct handshake, and then sends what the test wants.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { FrameCutter } from '../../src/transport/frames/frame-cutter.ts';
import { type Credentials, call, type Session } from '../../src/transport/frames/handshake.ts';
import { reception } from '../../src/transport/frames/reception.ts';
import { receiver } from './wire.ts';

/** A connection that the test opened itself. */
export interface RawCaller extends Disposable {
  readonly socket: Socket;
  readonly session: Session;
  /** Resolves once the other end has closed the connection. */
  readonly closed: Promise<void>;
}

/** Opens a socket to that port, from a given local address. */
export async function rawSocket(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Resolves once the socket is closed; received data is discarded. */
export async function closed(socket: Socket): Promise<void> {
  socket.resume();
  await new Promise<void>((resolve) =>
    socket.closed ? resolve() : socket.once('close', () => resolve()),
  );
}

/** Connects to that member and authenticates. */
export async function rawCaller(port: number, own: Credentials, to: string): Promise<RawCaller> {
  const socket = await rawSocket(port);
  const greeting = call(own, to, randomBytes(16));
  socket.write(greeting.hello);
  const answered = greeting.answered(await firstFrame(socket));
  if (typeof answered === 'string' || 'refused' in answered)
    throw new Error(`not answered: ${JSON.stringify(answered)}`);
  socket.write(answered.writer.write('beat', (writer) => writer.uint(1)));
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, session: answered, closed: gone, [Symbol.dispose]: () => void socket.destroy() };
}

async function firstFrame(socket: Socket): Promise<Buffer> {
  const cutter = new FrameCutter(8192);
  for (;;) {
    const [piece] = (await once(socket, 'data')) as [Buffer];
    cutter.put(piece);
    const frame = cutter.next();
    if (Buffer.isBuffer(frame)) return Buffer.from(frame);
  }
}

/** A member that accepts connections and reads them until the test stops it. */
export interface RawMember extends AsyncDisposable {
  readonly port: number;
  /** The number of accepted connections. */
  readonly calls: number;
  /** The number of connections that the peer has not ended. */
  readonly open: number;
  /** The latest messages that it has read, and the number of all. */
  readonly read: readonly string[];
  readonly count: number;
  stopReading(): void;
  readOn(): void;
}

/** Returns the answer of a raw member to a beat. */
type Answer = (writer: Session['writer'], beat: number) => Buffer;

const echo: Answer = (writer, beat) => writer.write('echo', (to) => to.uint(beat));

/**
 * Accepts connections, echoes every beat unless `answer` differs, and records the messages.
 * `allowHalfOpen`: it never ends a connection whose other end was closed.
 */
export async function rawMember(
  own: Credentials,
  allowHalfOpen: boolean = false,
  answer: Answer = echo,
): Promise<RawMember> {
  const sockets = new Set<Socket>();
  let read: readonly string[] = [];
  let count = 0;
  let calls = 0;
  const server = createServer({ allowHalfOpen }, (socket) => {
    calls += 1;
    sockets.add(socket);
    const cutter = new FrameCutter(1_000_000);
    const seen = reception({ credentials: own, nonce: randomBytes(16), receiver: () => receiver });
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (piece) => {
      cutter.put(piece);
      for (let frame = cutter.next(); Buffer.isBuffer(frame); frame = cutter.next()) {
        const received = seen.receive(frame);
        if (received.kind === 'hello') socket.write(received.welcome);
        if (received.kind === 'beat' && seen.session)
          socket.write(answer(seen.session.writer, received.beat));
        if (received.kind !== 'messages') continue;
        count += received.messages.items.length;
        read = [
          ...read,
          ...received.messages.items.map((item) => JSON.stringify(item, bigints)),
        ].slice(-10);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get read() {
      return read;
    },
    get count() {
      return count;
    },
    get open() {
      return sockets.size;
    },
    get calls() {
      return calls;
    },
    stopReading() {
      for (const socket of sockets) socket.pause();
    },
    readOn() {
      for (const socket of sockets) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
