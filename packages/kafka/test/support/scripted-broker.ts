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
/** The keys of requests that tests script. */
export const keyOf = {
  metadata: 3,
  findCoordinator: 10,
  saslHandshake: 17,
  apiVersions: 18,
  saslAuthenticate: 36,
} as const;
/** These requests and their answers are older than tagged fields. */
const untagged: readonly number[] = [keyOf.saslHandshake, keyOf.apiVersions];

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
    const isTagged = !untagged.includes(key);
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

/** What a login contains; OAUTHBEARER reports an error in `authBytes`. */
interface LoginAnswer {
  readonly authBytes?: string;
  readonly lifetimeMs?: number;
}

/** The answers to the requests of a login. Release 2 of the library asks for the versions first. */
export function loginAnswers(
  mechanism: string,
  { authBytes = '', lifetimeMs = 0 }: LoginAnswer = {},
): Readonly<Record<number, Answer>> {
  return {
    [keyOf.apiVersions]: () =>
      Writer.create()
        .appendInt16(0)
        .appendArray(
          [keyOf.saslAuthenticate],
          (writer, key) => writer.appendInt16(key).appendInt16(0).appendInt16(2),
          false,
          false,
        )
        .appendInt32(0),
    [keyOf.saslHandshake]: () =>
      Writer.create()
        .appendInt16(0)
        .appendArray([mechanism], (writer, one) => writer.appendString(one, false), false, false),
    [keyOf.saslAuthenticate]: () =>
      Writer.create()
        .appendInt16(0)
        .appendString(null)
        .appendBytes(Buffer.from(authBytes))
        .appendInt64(BigInt(lifetimeMs))
        .appendTaggedFields(),
  };
}
