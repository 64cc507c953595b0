// The brokers of a cluster as one member knows them: where they are, which of them leads what, and connections to them.
import { setMaxListeners } from 'node:events';
import type { metadataV12 as metadataApi } from '@platformatic/kafka';
import type { TopicPartition } from '../log-port.ts';
import { BrokerError, errorOfCode } from './broker-error.ts';
import { type BrokerConnection, type ConnectionSettings, openConnection, type Place } from './connection.ts';
import { type Lane, lane } from './lane.ts';
import type { Library } from './library.ts';

/** What one client connects to. */
export interface BrokersOptions {
  readonly library: () => Promise<Library>;
  readonly settings: ConnectionSettings;
  /** The first to be asked comes first. */
  readonly seeds: () => Promise<readonly string[]>;
}

/** Two connections to each broker: a long poll never delays anything else. */
type LaneName = 'poll' | 'other';

/** The brokers, until they are closed. */
export class Brokers {
  readonly #options: BrokersOptions;
  readonly #closed = new AbortController();
  readonly #places = new Map<number, Place>();
  readonly #lanes = new Map<string, Lane>();
  #controller = -1;
  #turn = 0;

  constructor(options: BrokersOptions) {
    this.#options = options;
    // Every connection listens.
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

  /** A connection to whichever broker can be reached. */
  async any(): Promise<BrokerConnection> {
    const { nodes } = this;
    // Not the same one each time: it may take connections and answer nothing.
    this.#turn += 1;
    const known = nodes.map((_, index) => nodes[(index + this.#turn) % nodes.length] ?? -1).map((node) => () => this.to(node, 'other'));
    const seeds = (await this.#options.seeds()).map((address) => () => this.#laneTo(`seed ${address}`, placeIn(address)).connection());
    return firstOf([...known, ...seeds]);
  }

  /** The connection to a broker. */
  to(node: number, name: LaneName): Promise<BrokerConnection> {
    const place = this.#places.get(node);
    if (place === undefined) return Promise.reject(new BrokerError('BROKER_NOT_AVAILABLE', `broker ${node} is not known just now`));
    // A broker that moved is another one.
    return this.#laneTo(`${name} ${node} ${place.host}:${place.port}`, place).connection();
  }

  /** Asks anew which brokers there are and, where a topic is named, who leads what of it. */
  async refresh(topic?: string): Promise<readonly TopicPartition[]> {
    const { metadataV12, protocolErrorsCodesById } = await this.library();
    const connection = await this.any();
    const asked = connection.ask(metadataV12.api, topic === undefined ? [] : [topic], false, false);
    const { brokers, controllerId, topics } = await asked.catch(responseIn<metadataApi.MetadataResponse>);
    this.#places.clear();
    for (const { nodeId, host, port } of brokers) this.#places.set(nodeId, { host, port });
    this.#controller = controllerId;
    const [found] = topics;
    if (found && found.errorCode !== 0) throw errorOfCode(found.errorCode, protocolErrorsCodesById);
    return (found?.partitions ?? []).map(({ partitionIndex, leaderId, replicaNodes }) => ({
      ...{ partition: partitionIndex, leader: leaderId, replicas: replicaNodes.length },
    }));
  }

  /** Ends the connections on which nothing was received for so long. */
  endSilent(ms: number): void {
    const before = performance.now() - ms;
    const error = new Error(`nothing was received for ${Math.round(ms)} ms`);
    for (const one of this.#lanes.values()) {
      const connection = one.current();
      if (connection?.isOpen && connection.heardAt <= before) connection.end(error);
    }
  }

  /** Ends every connection at once, and lets none be opened any more. */
  close(): void {
    this.#closed.abort();
  }

  #laneTo(key: string, place: Place): Lane {
    const known = this.#lanes.get(key);
    if (known) return known;
    const open = async (): Promise<BrokerConnection> =>
      openConnection(await this.library(), this.#options.settings, place, this.#closed.signal);
    const made = lane(open);
    this.#lanes.set(key, made);
    return made;
  }
}

/** The answer in the library's error: it rejects where a single part of an answer says no. */
export function responseIn<Response>(error: unknown): Response {
  const library: unknown = error instanceof Error ? error.cause : undefined;
  if (typeof library === 'object' && library !== null && 'response' in library) return library.response as Response;
  throw error;
}

/** The first that works; where none does, what was wrong with the last. */
async function firstOf<T>(tries: readonly (() => Promise<T>)[]): Promise<T> {
  let last: unknown = new Error('no broker is known');
  for (const attempt of tries) {
    try {
      return await attempt();
    } catch (error) {
      // A login that is refused by one broker is refused by all.
      if (error instanceof BrokerError && error.type === 'SASL_AUTHENTICATION_FAILED') throw error;
      last = error;
    }
  }
  throw last;
}

/** `host:port`; an address of IPv6 stands in brackets. */
function placeIn(address: string): Place {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}
