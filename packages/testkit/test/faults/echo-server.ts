import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { vi } from 'vitest';

/** A server that echoes and records everything it receives. */
export interface EchoServer extends AsyncDisposable {
  readonly port: number;
  readonly seen: readonly string[];
}

export async function echoServer(): Promise<EchoServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received.push(chunk.toString());
      socket.write(chunk);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen: received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client that records everything it receives. */
export interface Client extends Disposable {
  readonly said: string;
  /** Resolves when the connection ends, with the error's code or `end`. */
  readonly over: Promise<string>;
  say(text: string): void;
  end(): void;
  hears(text: string): Promise<void>;
  /** Says the text, and hears it. */
  echoes(text: string): Promise<void>;
}

export async function client(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  let said = '';
  socket.on('data', (chunk) => {
    said += chunk;
  });
  const over = new Promise<string>((resolve) => {
    socket
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .on('close', () => resolve('end'));
  });
  await Promise.race([once(socket, 'connect').catch(() => undefined), over]);
  const hears = async (text: string): Promise<void> => {
    await vi.waitUntil(() => said.endsWith(text), { timeout: 10_000, interval: 1 });
  };
  return {
    get said() {
      return said;
    },
    over,
    say: (text) => void socket.write(text),
    end: () => void socket.end(),
    hears,
    echoes(text) {
      socket.write(text);
      return hears(text);
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
