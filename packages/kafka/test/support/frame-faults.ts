import { connect, type Socket } from 'node:net';

/**
 * A fault of one member's requests: its connections stay open, but some requests or replies never
 * arrive, or arrive late.
 */
export type FrameFault =
  | 'reads-cut'
  | 'writes-cut'
  | 'hung-reads'
  | 'lost-replies'
  | 'late-writes'
  /** No request to remove records arrives. */
  | 'removals-cut'
  /** No reply to any request arrives. */
  | 'deaf';

/**
 * Injects faults into the requests of one member. Every client library frames its requests alike,
 * so this works with each.
 */
export interface FrameFaults {
  /**
   * Injects the faults on this connection from now on. Call it before the client uses the
   * connection.
   */
  watch(socket: Socket): void;
  /** Injects the fault until disposed. Late writes arrive then, each on a connection of its own. */
  inject(fault: FrameFault): Disposable;
  /** The number of requests that the member has sent so far. */
  readonly requests: number;
}

/** The API keys of Kafka's protocol: https://kafka.apache.org/protocol#protocol_api_keys */
const keys = { produce: 0, fetch: 1, listOffsets: 2, deleteRecords: 21 } as const;
const writes: readonly number[] = [keys.produce, keys.deleteRecords];
const reads: readonly number[] = [keys.fetch, keys.listOffsets];
/**
 * The bytes of a frame: its length, then the API key and the version of a request, then the
 * correlation id.
 */
const lengthBytes = 4;
const requestIdAt = 8;
const replyIdAt = 4;

/** A write on its way: the request, and the broker that it goes to. */
interface Held {
  readonly frame: Buffer;
  readonly host: string | undefined;
  readonly port: number | undefined;
}

export function frameFaults(): FrameFaults {
  const faults: FrameFault[] = [];
  const held: Held[] = [];
  let requests = 0;
  const has = (...any: readonly FrameFault[]): boolean =>
    any.some((fault) => faults.includes(fault));
  /** Whether the request goes out now. `lost` collects the requests whose replies are discarded. */
  const goesOut = (
    frame: Buffer,
    { remoteAddress: host, remotePort: port }: Socket,
    lost: Set<number>,
  ): boolean => {
    requests += 1;
    const key = frame.readInt16BE(lengthBytes);
    if (reads.includes(key)) return !has('reads-cut', 'hung-reads');
    if (!writes.includes(key)) return true;
    if (key === keys.deleteRecords && has('removals-cut')) return false;
    if (has('lost-replies')) lost.add(frame.readInt32BE(requestIdAt));
    if (has('late-writes')) held.push({ frame, host, port });
    return !has('writes-cut', 'late-writes');
  };
  return {
    watch(socket) {
      const lost = new Set<number>();
      filterWrites(socket, (frame) => goesOut(frame, socket, lost));
      filterData(socket, (frame) => !lost.delete(frame.readInt32BE(replyIdAt)) && !has('deaf'));
    },
    inject(fault) {
      faults.push(fault);
      return {
        [Symbol.dispose]() {
          faults.splice(faults.indexOf(fault), 1);
          if (!has('late-writes')) for (const late of held.splice(0)) deliver(late);
        },
      };
    },
    get requests() {
      return requests;
    },
  };
}

/** Sends only the frames that pass. */
function filterWrites(socket: Socket, passes: (frame: Buffer) => boolean): void {
  const write = socket.write.bind(socket);
  const framesOf = frameCutter();
  const filtered = (data: Uint8Array): boolean => {
    const passing = framesOf(data).filter(passes);
    return passing.length === 0 || write(Buffer.concat(passing));
  };
  Object.assign(socket, { write: filtered });
}

/** Hands only the frames that pass to the client. */
function filterData(socket: Socket, passes: (frame: Buffer) => boolean): void {
  const emit = socket.emit.bind(socket);
  const framesOf = frameCutter();
  const filtered = (event: string, ...values: readonly unknown[]): boolean => {
    const [data] = values;
    if (event !== 'data' || !(data instanceof Uint8Array)) return emit(event, ...values);
    for (const frame of framesOf(data).filter(passes)) emit('data', frame);
    return true;
  };
  Object.assign(socket, { emit: filtered });
}

/**
 * Returns a function that takes the next bytes of a stream and returns the frames that they
 * complete.
 */
function frameCutter(): (bytes: Uint8Array) => readonly Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes]);
    const frames: Buffer[] = [];
    while (rest.length >= lengthBytes) {
      const end = lengthBytes + rest.readInt32BE(0);
      if (rest.length < end) break;
      frames.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    return frames;
  };
}

/** Sends the request on a new connection, because the client may have given up its own. */
function deliver({ frame, host = '127.0.0.1', port }: Held): void {
  if (port === undefined) return;
  const socket = connect({ host, port }, () => socket.write(frame));
  // The reply has arrived, so the broker has received the request.
  socket.once('data', () => socket.end());
  socket.on('error', () => undefined);
}
