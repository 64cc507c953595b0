import type { Socket } from 'node:net';
import { type DelayLine, delayLine } from './delay-line.ts';

/** The direction of bytes. */
export type Direction = 'to-server' | 'to-client';

/** The decision of a connection about each piece that arrives. */
export interface Passage {
  /** Returns whether bytes in this direction are lost. */
  swallows(direction: Direction): boolean;
  readonly delayMs: number;
  passed(direction: Direction, bytes: number): void;
  swallowed(bytes: number): void;
}

/** A connection through the proxy. Disposal resets both sides. */
export interface ProxiedConnection extends Disposable {
  /** Whether bytes or an end were lost, so that the connection cannot continue. */
  readonly isTorn: boolean;
  readonly closed: Promise<void>;
  /** Discards all further bytes and ends, in both directions. */
  silence(): void;
}

/**
 * Joins two sockets, both of which may be half closed. Without a server it swallows whatever the
 * client says.
 */
export function proxiedConnection(
  client: Socket,
  server: Socket | undefined,
  shared: Passage,
): ProxiedConnection {
  const sockets = server ? [client, server] : [client];
  // Each piece is passed on when it comes: one that waited for the acknowledgement of the one
  // before would be late by some 40 ms.
  for (const socket of sockets) socket.setNoDelay(true);
  const lines: Disposable[] = [];
  let isTorn = server === undefined;
  const tear = (): void => {
    isTorn = true;
  };
  let isSilent = false;
  const passage: Passage = {
    ...shared,
    swallows: (direction) => isSilent || shared.swallows(direction),
    get delayMs() {
      return shared.delayMs;
    },
  };
  const reset = (): void => {
    for (const line of lines) line[Symbol.dispose]();
    for (const socket of sockets) if (!socket.destroyed) socket.resetAndDestroy();
  };
  // A reset on one side is a reset on the other.
  for (const socket of sockets) socket.on('error', reset);
  lines.push(pass(client, server, 'to-server', passage, tear));
  if (server) lines.push(pass(server, client, 'to-client', passage, tear));
  const closed = Promise.all(
    sockets.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))),
  );
  return {
    get isTorn() {
      return isTorn;
    },
    closed: closed.then(() => undefined),
    silence() {
      isSilent = true;
    },
    [Symbol.dispose]: reset,
  };
}

/** Passes on what `from` says, its end included, as the passage has it at that moment. */
function pass(
  from: Socket,
  to: Socket | undefined,
  direction: Direction,
  passage: Passage,
  tear: () => void,
): DelayLine<Buffer | 'end'> {
  const line = delayLine<Buffer | 'end'>((piece) => to && deliver(from, to, piece));
  const take = (piece: Buffer | 'end'): void => {
    const bytes = piece === 'end' ? 0 : piece.length;
    if (to === undefined || passage.swallows(direction)) {
      passage.swallowed(bytes);
      tear();
      return;
    }
    passage.passed(direction, bytes);
    line.send(piece, passage.delayMs);
  };
  from.on('data', take);
  from.on('end', () => take('end'));
  return line;
}

function deliver(from: Socket, to: Socket, piece: Buffer | 'end'): void {
  if (to.destroyed) return;
  if (piece === 'end') return void to.end();
  // Delayed pieces still arrive after the source was paused, because they were accepted before.
  if (to.write(piece) || from.isPaused()) return;
  from.pause();
  to.once('drain', () => from.resume());
}
