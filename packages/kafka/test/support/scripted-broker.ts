import { createServer, type Socket } from 'node:net';
import { Reader, Writer } from '@platformatic/kafka';

/** A request as it arrived: its body is read by the test that scripts the answer. */
interface ScriptedRequest {
  readonly body: Reader;
  readonly socket: Socket;
}

/** Returns the body of the answer; `undefined`: the request is never answered. */
type Answer = (request: ScriptedRequest) => Writer | undefined;

/** A broker that answers each kind of request by a script, and nothing else. */
export interface ScriptedBroker extends Disposable {
  readonly port: number;
  readonly address: string;
  /** The connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** The keys of the requests that arrived, in order. */
  readonly asked: readonly number[];
}

const sizeBytes = 4;
const saslHandshake = 17;

/** `answers`: by the key of the request. `answerMs`: how long each takes. */
export async function scriptedBroker(
  answers: Readonly<Record<number, Answer>> = {},
  answerMs = 0,
): Promise<ScriptedBroker> {
  const sockets = new Set<Socket>();
  const asked: number[] = [];
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('close', () => sockets.delete(socket));
    let buffered = Buffer.alloc(0);
    socket.on('data', (data) => {
      buffered = Buffer.concat([buffered, data]);
      while (
        buffered.length >= sizeBytes &&
        buffered.length >= sizeBytes + buffered.readInt32BE(0)
      ) {
        const size = buffered.readInt32BE(0);
        serve(socket, buffered.subarray(sizeBytes, sizeBytes + size));
        buffered = buffered.subarray(sizeBytes + size);
      }
    });
  });
  const serve = (socket: Socket, request: Buffer): void => {
    const reader = Reader.from(request);
    const [key, , correlationId] = [reader.readInt16(), reader.readInt16(), reader.readInt32()];
    asked.push(key);
    reader.readNullableString(false);
    // The handshake is older than tagged fields, in the request and in the answer.
    const isTagged = key !== saslHandshake;
    if (isTagged) reader.readTaggedFields();
    const body = answers[key]?.({ body: reader, socket });
    if (body === undefined || socket.destroyed) return;
    const answer = Writer.create().appendInt32(correlationId);
    if (isTagged) answer.appendTaggedFields();
    const { buffer } = answer.appendFrom(body).prependLength();
    if (answerMs > 0) setTimeout(() => socket.write(buffer), answerMs);
    else socket.write(buffer);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the broker listens on no port');
  return {
    port: address.port,
    address: `127.0.0.1:${address.port}`,
    sockets,
    asked,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** An answer about these brokers and no topic. The first one is the controller. */
export function metadataOf(ports: readonly number[]): Writer {
  return Writer.create()
    .appendInt32(0)
    .appendArray([...ports.entries()], (writer, [node, port]) =>
      writer.appendInt32(node).appendString('127.0.0.1').appendInt32(port).appendString(null),
    )
    .appendString(null)
    .appendInt32(0)
    .appendArray([], () => undefined)
    .appendTaggedFields();
}

/** An answer to the handshake of a login. */
export function handshakeOf(mechanism: string): Writer {
  return Writer.create()
    .appendInt16(0)
    .appendArray([mechanism], (writer, one) => writer.appendString(one, false), false, false);
}

/** An answer to a login; OAUTHBEARER reports an error in `authBytes`. */
export function loginOf({
  authBytes = '',
  lifetimeMs = 0,
}: {
  readonly authBytes?: string;
  readonly lifetimeMs?: number;
} = {}): Writer {
  return Writer.create()
    .appendInt16(0)
    .appendString(null)
    .appendBytes(Buffer.from(authBytes))
    .appendInt64(BigInt(lifetimeMs))
    .appendTaggedFields();
}

/** The keys of requests that tests script. */
export const keyOf = {
  metadata: 3,
  findCoordinator: 10,
  saslHandshake,
  saslAuthenticate: 36,
} as const;
