// The socket of `leadership guard`, to which the members of a host connect, and through which it
// notices their deaths.
import { unlink } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { LeadershipError } from '@leadership/core';
import type { Draft } from '@leadership/core/internal/engine';
import {
  type GuardHello,
  goodbye,
  helloBytesMax,
  identityOf,
  type Observation,
  parseHello,
  probeAddress,
  provesDeath,
} from '@leadership/core/internal/guard';

/** The file name of the guard's socket. */
const socketName = 'guard.sock';

/**
 * How long the end of a process may take after the first of its descriptors was closed, and how
 * often it is observed meanwhile. Milliseconds.
 */
const endMs = { max: 5000, every: 1 };

/** Receives what happens to the members. */
export interface GuardListener {
  joined(hello: GuardHello): void;
  /** The connection has ended. `died`: with proof that the member is dead (L13). */
  left(hello: GuardHello, how: 'died' | 'goodbye' | 'unproved'): void;
}

/** One connection, and what was observed of it. */
interface Connection extends Draft<Pick<Observation, 'end' | 'saidGoodbye'>> {
  readonly socket: Socket;
  hello: GuardHello | undefined;
  text: string;
}

/**
 * Listens for members in a folder, and proves their deaths (L13). It answers nothing but a goodbye
 * when it closes: data that a member has not read would turn its end into a reset.
 */
export class GuardServer {
  readonly path: string;
  readonly #folder: string;
  readonly #listener: GuardListener;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #judging = new Set<Promise<void>>();

  constructor(folder: string, listener: GuardListener) {
    this.#folder = folder;
    this.path = join(folder, socketName);
    this.#listener = listener;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** @throws LeadershipError `invalid-options` if another guard listens there */
  async listen(): Promise<void> {
    const answer = await probeAddress(this.path);
    if (answer === 'accepts')
      throw new LeadershipError('invalid-options', `another guard listens at ${this.path}`);
    if (answer === 'refuses') await unlink(this.path);
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.path, resolve);
    });
  }

  /** Resolves once every connection that has ended was judged. */
  async judged(): Promise<void> {
    while (this.#judging.size > 0) await Promise.all(this.#judging);
  }

  /** Says goodbye to every member, and closes. */
  async close(): Promise<void> {
    for (const connection of this.#connections) {
      connection.end = connection.end === 'open' ? 'here' : connection.end;
      connection.socket.end(goodbye, () => connection.socket.destroy());
    }
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    const connection: Connection = {
      socket,
      hello: undefined,
      text: '',
      end: 'open',
      saidGoodbye: false,
    };
    this.#connections.add(connection);
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => this.#read(connection, text));
    const ended = (how: Observation['end']): void => {
      if (connection.end === 'open') connection.end = how;
    };
    socket.on('end', () => ended('there'));
    socket.on('error', () => ended('error'));
    socket.on('close', () => {
      ended('error');
      this.#connections.delete(connection);
      this.#judge(connection);
    });
  }

  #read(connection: Connection, text: string): void {
    connection.text += text;
    if (connection.hello === undefined) this.#identify(connection);
    if (connection.hello !== undefined) connection.saidGoodbye ||= connection.text === goodbye;
    if (connection.text.length <= helloBytesMax) return;
    connection.end = 'here';
    connection.socket.destroy();
  }

  #identify(connection: Connection): void {
    const at = connection.text.indexOf('\n');
    if (at < 0) return;
    const hello = parseHello(connection.text.slice(0, at));
    connection.text = connection.text.slice(at + 1);
    connection.hello = hello;
    if (hello !== undefined) return this.#listener.joined(hello);
    connection.end = 'here';
    connection.socket.destroy();
  }

  #judge({ hello, end, saidGoodbye }: Connection): void {
    if (hello === undefined) return;
    const judging = this.#observe(hello, { end, saidGoodbye }).then((how) => {
      this.#judging.delete(judging);
      this.#listener.left(hello, how);
    });
    this.#judging.add(judging);
  }

  /** Observes a process that may be about to end: the kernel closes one descriptor after the other. */
  async #observe(
    hello: GuardHello,
    { end, saidGoodbye }: Pick<Observation, 'end' | 'saidGoodbye'>,
  ): Promise<'died' | 'goodbye' | 'unproved'> {
    if (saidGoodbye) return 'goodbye';
    const until = performance.now() + endMs.max;
    while (end === 'there' && performance.now() < until) {
      const address = await probeAddress(join(this.#folder, hello.address));
      const process = processOf(hello);
      // A second connection of the same incarnation would show that it lives.
      const isConnected = [...this.#connections].some((other) => isSame(other.hello, hello));
      const observation = { isIdentified: true, end, saidGoodbye, address, process };
      if (!isConnected && provesDeath(observation)) return 'died';
      if (address === 'missing') break;
      await new Promise((resolve) => setTimeout(resolve, endMs.every));
    }
    return 'unproved';
  }
}

/** Returns whether the process runs, if its id means the same here as in the process itself. */
function processOf({ process }: GuardHello): Observation['process'] {
  if (process === undefined || process.namespace !== identityOf('self')?.namespace)
    return 'unknown';
  const found = identityOf(process.pid);
  return found?.startedAt === process.startedAt ? 'runs' : 'ended';
}

function isSame(one: GuardHello | undefined, other: GuardHello): boolean {
  return one?.incarnation === other.incarnation;
}
