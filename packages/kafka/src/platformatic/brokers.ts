// The brokers of a cluster as one member of @platformatic/kafka knows them: their addresses, the
// partitions that they lead, and the connections to them.
import { setMaxListeners } from 'node:events';
import { LeadershipError } from '@leadership/core';
import type { metadataV12 as metadataApi } from '@platformatic/kafka';
import { parseAddress } from '../connection/broker-address.ts';
import type { TopicPartition } from '../connection/log-client.ts';
import { rotated } from '../connection/seeds.ts';
import { hasErrorType } from '../errors.ts';
import { BrokerError, errorOfCode } from './broker-error.ts';
import { type Channel, channel } from './channel.ts';
import {
  type BrokerConnection,
  type ConnectionSettings,
  openConnection,
  type Place,
} from './connection.ts';
import type { Library } from './library.ts';

/** The brokers that one client connects to. */
export interface BrokersOptions {
  readonly library: () => Promise<Library>;
  readonly settings: ConnectionSettings;
  /** The addresses, in the order of the attempts. */
  readonly seeds: () => Promise<readonly string[]>;
}

/** Two connections to each broker: a long poll never delays anything else. */
export type ChannelName = 'poll' | 'other';

const channelNames: readonly ChannelName[] = ['poll', 'other'];

/** How long an attempt runs before the next broker is tried in parallel, in milliseconds. */
const besideMs = 250;

/** The brokers, until they are closed. */
export class Brokers {
  readonly #options: BrokersOptions;
  readonly #closed = new AbortController();
  readonly #places = new Map<number, Place>();
  readonly #channels = new Map<string, Channel>();
  #controller = -1;
  #turn = 0;

  constructor(options: BrokersOptions) {
    this.#options = options;
    // Every connection adds a listener.
    setMaxListeners(0, this.#closed.signal);
  }

  get nodes(): readonly number[] {
    return [...this.#places.keys()];
  }

  get controller(): number {
    return this.#controller;
  }

  library(): Promise<Library> {
    return this.#options.library();
  }

  /**
   * Returns a connection to a broker that is known or, if none of those can be reached, to one of
   * the seeds.
   */
  any(): Promise<BrokerConnection> {
    const { nodes } = this;
    // Starts with another broker each time: a broker may accept connections but never answer.
    this.#turn += 1;
    const known = rotated(nodes, this.#turn).map((node) => () => this.to(node, 'other'));
    return firstOf([...known, () => this.#seed()]);
  }

  async #seed(): Promise<BrokerConnection> {
    const seeds = await this.#options.seeds();
    return firstOf(
      seeds.map(
        (address) => async () =>
          this.#channelTo(seedKey(address), parseAddress(address)).connection(),
      ),
    );
  }

  /** The connection to a broker. */
  to(node: number, name: ChannelName): Promise<BrokerConnection> {
    const place = this.#places.get(node);
    if (place === undefined)
      return Promise.reject(
        new BrokerError('BROKER_NOT_AVAILABLE', `broker ${node} is not known just now`),
      );
    return this.#channelTo(keyOf(name, node, place), place).connection();
  }

  /** Requests the list of brokers and the leaders of a topic's partitions, if it is given. */
  async refresh(topic?: string): Promise<readonly TopicPartition[]> {
    const { metadataV12, protocolErrorsCodesById } = await this.library();
    const connection = await this.any();
    const asked = connection.ask(metadataV12.api, topic === undefined ? [] : [topic], false, false);
    const { brokers, controllerId, topics } = await asked.catch(
      responseIn<metadataApi.MetadataResponse>,
    );
    this.#places.clear();
    for (const { nodeId, host, port } of brokers) this.#places.set(nodeId, { host, port });
    this.#controller = controllerId;
    this.#retireUnused();
    const [found] = topics;
    if (found && found.errorCode !== 0) throw errorOfCode(found.errorCode, protocolErrorsCodesById);
    return (found?.partitions ?? []).map(({ partitionIndex, leaderId, replicaNodes }) => ({
      partition: partitionIndex,
      leader: leaderId,
      replicas: replicaNodes.length,
    }));
  }

  /** Ends the connections that received nothing for that time. */
  endSilent(ms: number): void {
    const before = performance.now() - ms;
    const error = new Error(`nothing was received for ${Math.round(ms)} ms`);
    for (const one of this.#channels.values()) {
      const connection = one.current();
      if (connection?.isOpen && connection.lastReceivedAt <= before) connection.end(error);
    }
  }

  /** Ends every connection at once. No connection can be opened after that. */
  close(): void {
    this.#closed.abort();
  }

  /**
   * Ends the connections to seeds, which are no longer needed, and to places where brokers no
   * longer are.
   */
  #retireUnused(): void {
    if (this.#places.size === 0) return;
    const used = new Set(
      [...this.#places].flatMap(([node, place]) =>
        channelNames.map((name) => keyOf(name, node, place)),
      ),
    );
    for (const [key, unused] of this.#channels) {
      if (used.has(key)) continue;
      this.#channels.delete(key);
      unused.retire();
    }
  }

  #channelTo(key: string, place: Place): Channel {
    const known = this.#channels.get(key);
    if (known) return known;
    const open = async (): Promise<BrokerConnection> =>
      openConnection(await this.library(), this.#options.settings, place, this.#closed.signal);
    const made = channel(open);
    this.#channels.set(key, made);
    return made;
  }
}

/**
 * Returns the answer in the library's error: the library rejects if any part of an answer has an
 * error.
 */
export function responseIn<Response>(error: unknown): Response {
  const library: unknown = error instanceof Error ? error.cause : undefined;
  if (typeof library === 'object' && library !== null && 'response' in library)
    return library.response as Response;
  throw error;
}

/**
 * Returns the result of the first attempt that succeeds. The next attempt starts after a failure,
 * or in parallel after {@link besideMs}, which limits the delay by a host that drops packets.
 * Rejects with the error of the attempt that failed last.
 */
function firstOf<T>(attempts: readonly (() => Promise<T>)[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const waiting = [...attempts];
    let underWay = 0;
    let timer: NodeJS.Timeout | undefined;
    const settle = (settled: () => void): void => {
      clearTimeout(timer);
      waiting.length = 0;
      settled();
    };
    const fail = (error: unknown): void => {
      underWay -= 1;
      // All brokers would refuse the same login or options.
      if (error instanceof LeadershipError || hasErrorType(error, 'SASL_AUTHENTICATION_FAILED'))
        settle(() => reject(error));
      else if (waiting.length > 0) start();
      else if (underWay === 0) settle(() => reject(error));
    };
    const start = (): void => {
      clearTimeout(timer);
      const attempt = waiting.shift();
      if (attempt === undefined) return;
      underWay += 1;
      if (waiting.length > 0) timer = setTimeout(start, besideMs);
      attempt().then((value) => settle(() => resolve(value)), fail);
    };
    if (waiting.length === 0) reject(new Error('no broker is known'));
    start();
  });
}

function keyOf(name: ChannelName, node: number, { host, port }: Place): string {
  // A broker with a new address needs new connections.
  return `${name} ${node} ${host}:${port}`;
}

function seedKey(address: string): string {
  return `seed ${address}`;
}
