// The connection of one source to its guard (L13 to L15). While it is open, the kernel would close
// it together with the process; so its end, and the refusal of the member's own socket, prove that
// the process has ended. Nothing here keeps the process running.
import { randomBytes } from 'node:crypto';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { type DescriptorWatch, watchDescriptor } from './descriptor.ts';
import { type GuardHello, goodbye, identityOf } from './hello.ts';
import { probeAddress } from './probe.ts';

/** A member, its guard, and the callbacks of the connection. */
export interface GuardLinkParts {
  /** The socket of the guard. */
  readonly path: string;
  readonly hello: Omit<GuardHello, 'address' | 'process'>;
  /** How often both descriptors are checked. Milliseconds. */
  readonly checkMs: number;
  /** The guard may consider this incarnation dead (L15). Called at most once. */
  readonly exposed: (why: string) => void;
  /** Reports why no guard observes this member, or `undefined` once one does. */
  readonly unguarded: (why: string | undefined) => void;
}

/** `sun_path` holds 108 bytes on Linux and 104 on macOS, with a zero at the end. */
const pathBytesMax = 103;
/** The delay between attempts to reach the guard. Milliseconds. */
const retryMs = 1000;
/** How long the end of a guard may take after the first of its descriptors was closed. */
const guardEndMsMax = 500;
/** How long a goodbye may take. The guard reads it in a millisecond, unless it is stopped. */
const goodbyeMsMax = 1000;

/** Connects a member to its guard, again and again until it leaves. */
export class GuardLink {
  readonly #parts: GuardLinkParts;
  readonly #address = `member-${randomBytes(9).toString('hex')}.sock`;
  readonly #server: Server;
  #listening: DescriptorWatch | undefined;
  #socket: Socket | undefined;
  /** There from the introduction on, while a guard may wait for the goodbye of this member. */
  #connected: DescriptorWatch | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(parts: GuardLinkParts) {
    this.#parts = parts;
    // A probe of the guard only needs to find that this process lives.
    this.#server = createServer((probe) => probe.destroy());
    this.#listen();
  }

  /**
   * Says goodbye and closes (L14). Call it after belief has ended. Resolves once the guard's kernel
   * has the goodbye, or after a second. Without a connection on which a guard can read it, both
   * descriptors stay as they are, as after `exposed`.
   */
  async leave(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    const socket = this.#connected?.isIntact() ? this.#socket : undefined;
    if (this.#connected && !socket) return;
    if (socket) await saidGoodbye(socket);
    socket?.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #listen(): void {
    const path = join(dirname(this.#parts.path), this.#address);
    const failed = (why: string): void => {
      this.#isOver = true;
      this.#parts.unguarded(why);
    };
    if (Buffer.byteLength(path) > pathBytesMax)
      return failed(`the path ${path} is too long for a socket: ${pathBytesMax} bytes at most`);
    this.#server.once('error', (error) => failed(`cannot listen on ${path}: ${error.message}`));
    // Not through the primary of a cluster, whose descriptor would outlive this process.
    this.#server.listen({ path, exclusive: true }, () => {
      // A connection that cannot be accepted was accepted by the kernel, which is all that counts.
      this.#server.removeAllListeners('error').on('error', () => undefined);
      this.#listening = watchDescriptor(this.#server);
      this.#connect();
    });
    this.#server.unref();
  }

  #connect(): void {
    if (this.#isOver) return;
    const socket = createConnection({ path: this.#parts.path });
    socket.unref();
    let why = 'the guard closed the connection';
    let saidGoodbye = false;
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received = (received + text).slice(-goodbye.length);
      saidGoodbye ||= received === goodbye;
    });
    socket.on('error', ({ message }) => {
      why = message;
    });
    socket.once('connect', () => this.#introduce(socket));
    socket.on('close', () => this.#closed(socket, saidGoodbye, why));
  }

  #introduce(socket: Socket): void {
    this.#socket = socket;
    this.#connected = watchDescriptor(socket);
    const identity = identityOf('self');
    const hello: GuardHello = {
      ...this.#parts.hello,
      address: this.#address,
      ...(identity && { process: identity }),
    };
    socket.write(`${JSON.stringify(hello)}\n`);
    this.#parts.unguarded(undefined);
    this.#check();
  }

  /** Checks both descriptors now and then: Node does not notice if other code closes them. */
  #check(): void {
    if (this.#isOver || this.#socket === undefined) return;
    if (!this.#connected?.isIntact() || !this.#listening?.isIntact())
      return this.#exposed('other code of this process closed a socket by which it is observed');
    this.#timer = setTimeout(() => this.#check(), this.#parts.checkMs);
    this.#timer.unref();
  }

  #closed(socket: Socket, saidGoodbye: boolean, why: string): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const wasConnected = this.#socket === socket;
    this.#socket = undefined;
    if (wasConnected && !saidGoodbye) return void this.#judge(why);
    const { path } = this.#parts;
    this.#unguarded(saidGoodbye ? 'the guard has ended' : `no guard answers at ${path}: ${why}`);
  }

  /**
   * Distinguishes a guard that was killed from one that lives. The dead one believes nothing; the
   * other one may believe that this member is dead (L15). The kernel closes the descriptors of a
   * process one after the other, so the socket of a guard that ends may still accept for a moment.
   * Waiting is safe: the end of a connection that the guard has closed proves nothing (L13).
   */
  async #judge(why: string): Promise<void> {
    const until = performance.now() + guardEndMsMax;
    while (!this.#isOver && performance.now() < until) {
      if ((await probeAddress(this.#parts.path)) === 'refuses') {
        if (!this.#isOver) this.#unguarded('the guard has ended without a goodbye');
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 5).unref());
    }
    if (!this.#isOver) this.#exposed(why);
  }

  #unguarded(why: string): void {
    this.#connected = undefined;
    this.#parts.unguarded(why);
    this.#timer = setTimeout(() => this.#connect(), retryMs);
    this.#timer.unref();
  }

  /**
   * The listening socket stays as it is: if it began to refuse now, a guard could release a lease
   * whose work has just been fenced.
   */
  #exposed(why: string): void {
    this.#isOver = true;
    this.#parts.exposed(why);
  }
}

function saidGoodbye(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, goodbyeMsMax);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    socket.once('close', done);
    socket.end(goodbye, done);
  });
}

/** Returns the socket of the guard that the environment names. */
export function guardPath(variable: string): string | undefined {
  const path = process.env[variable];
  return path === undefined || path === '' ? undefined : path;
}
