// A client whose sockets can be ended at once: KafkaJS waits for the requests in flight before it
// disconnects, and keeps a connection on which no answer arrives.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import {
  type ISocketFactory,
  type ISocketFactoryArgs,
  Kafka,
  type KafkaConfig,
  logLevel,
  type RetryOptions,
} from 'kafkajs';
import { closedMessage } from '../connection/closed-message.ts';
import { seedsOf } from '../connection/seeds.ts';

export type { KafkaConfig } from 'kafkajs';

/** A client, until it is closed. */
interface Client {
  readonly kafka: Kafka;
  /**
   * The number of brokers in the configuration: the number of attempts that may be needed to find
   * one that answers.
   */
  readonly seeds: number;
  /**
   * Ends the connections that received nothing for that time. Returns whether the client can do
   * that.
   */
  endSilent(ms: number): boolean;
  /** Ends every connection, and opens no other. */
  close(): void;
}

/** The part of a configuration that depends on the purpose of the client. */
interface ClientTraits {
  /** The time that an answer may take before KafkaJS rejects the request. Milliseconds. */
  readonly requestTimeoutMs: number;
  readonly retry: RetryOptions;
}

/** A configuration, or a ready client, which keeps its own time-outs, logger and retries. */
export type KafkaJsClient = KafkaConfig | Kafka;

/** Creates clients of one configuration, which are not connected yet. */
export type OpenClient = (traits: ClientTraits) => Client;

/** Returns whether the option is a client that the caller created. */
function isClient(kafka: KafkaJsClient): kafka is Kafka {
  return 'consumer' in kafka && typeof kafka.consumer === 'function';
}

/**
 * Returns a factory for clients. Each starts with another broker, because KafkaJS keeps a first
 * broker that never answers.
 */
export function clientsOf(kafka: KafkaJsClient): OpenClient {
  if (isClient(kafka))
    return () => ({ kafka, seeds: 1, endSilent: () => false, close: () => undefined });
  const seeds = seedsOf(kafka.brokers);
  return ({ requestTimeoutMs, retry }) => {
    const sockets = socketsOf(kafka.socketFactory ?? plainSocket);
    const quiet = { clientId: 'leadership', logLevel: logLevel.NOTHING };
    const own = { brokers: seeds.next(), retry, socketFactory: sockets.open };
    const client = new Kafka({ ...quiet, requestTimeout: requestTimeoutMs, ...kafka, ...own });
    return { ...sockets, kafka: client, seeds: seeds.count };
  };
}

interface Sockets extends Pick<Client, 'endSilent' | 'close'> {
  readonly open: ISocketFactory;
}

function socketsOf(open: ISocketFactory): Sockets {
  const lastReceivedAt = new Map<Socket, number>();
  let closed = false;
  return {
    open(args) {
      if (closed) throw new Error(closedMessage);
      const socket = open(args);
      const noteReceived = (): unknown => lastReceivedAt.set(socket, performance.now());
      noteReceived();
      socket.on('data', noteReceived);
      socket.once('close', () => lastReceivedAt.delete(socket));
      return socket;
    },
    endSilent(ms) {
      const before = performance.now() - ms;
      // With an error, so that KafkaJS rejects what is in flight: it does not listen for `close`.
      for (const [socket, at] of lastReceivedAt)
        if (at <= before) socket.destroy(new Error(`no data received for ${Math.round(ms)} ms`));
      return true;
    },
    close() {
      closed = true;
      for (const socket of lastReceivedAt.keys()) socket.destroy(new Error(closedMessage));
    },
  };
}

/**
 * Opens a socket like KafkaJS, but without Nagle's algorithm: a renewal must not wait for the last
 * one's acknowledgement.
 */
function plainSocket({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket {
  const place = { host, port, noDelay: true, keepAlive: true };
  if (!ssl) return connect(place, onConnect);
  return connectSecurely(
    { ...place, ...(isIP(host) === 0 && { servername: host }), ...ssl },
    onConnect,
  );
}
