// A way to the brokers of its own, whose sockets can be ended at once: KafkaJS waits for what is in flight before it
// disconnects, and goes on trusting a connection on which nobody answers.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { type ISocketFactory, type ISocketFactoryArgs, Kafka, type KafkaConfig, logLevel, type RetryOptions } from 'kafkajs';

/** A client, until it is closed. */
export interface Client {
  readonly kafka: Kafka;
  /** How many brokers it was told of: so many tries may find the first that answers. */
  readonly seeds: number;
  /** Ends every connection, and lets none be opened any more. */
  close(): void;
}

/** What of a configuration depends on what the client is for. */
export interface ClientTraits {
  /** What an answer may take before KafkaJS gives it up. Milliseconds. */
  readonly requestTimeoutMs: number;
  readonly retry: RetryOptions;
}

/** What is configured, or a client made elsewhere: then its time-outs, its logger and its retries stay as they are. */
export type KafkaOption = KafkaConfig | Kafka;

/** Whether the option is a client made elsewhere. */
export function isClient(kafka: KafkaOption): kafka is Kafka {
  return 'consumer' in kafka && typeof kafka.consumer === 'function';
}

/** A new client. Connects to nothing yet. */
export function openClient(kafka: KafkaOption, { requestTimeoutMs, retry }: ClientTraits): Client {
  if (isClient(kafka)) return { kafka, seeds: 1, close: () => undefined };
  const sockets = socketsOf(kafka.socketFactory ?? plainSocket);
  const quiet = { clientId: 'leadership', logLevel: logLevel.NOTHING };
  const client = new Kafka({ ...quiet, requestTimeout: requestTimeoutMs, ...kafka, retry, socketFactory: sockets.open });
  return { kafka: client, seeds: Array.isArray(kafka.brokers) ? kafka.brokers.length : 1, close: sockets.close };
}

function socketsOf(open: ISocketFactory): { readonly open: ISocketFactory; close(): void } {
  const sockets = new Set<Socket>();
  let closed = false;
  return {
    open(args) {
      if (closed) throw new Error('this client is closed');
      const socket = open(args);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    close() {
      closed = true;
      // With an error, so that KafkaJS rejects what is in flight: it does not listen for `close`.
      for (const socket of sockets) socket.destroy(new Error('this client is closed'));
    },
  };
}

/** As KafkaJS does it, but without Nagle's algorithm: a renewal must not wait for the acknowledgement of the last one. */
function plainSocket({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket {
  const place = { host, port, noDelay: true, keepAlive: true };
  if (!ssl) return connect(place, onConnect);
  return connectSecurely({ ...place, ...(isIP(host) === 0 && { servername: host }), ...ssl }, onConnect);
}
