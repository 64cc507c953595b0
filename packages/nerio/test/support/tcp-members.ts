// Members of one process over real connections, and all events of their transports.
import { monotonicClock } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import type { TcpOptions } from '../../src/transport/tcp/options.ts';
import { tcpTransport } from '../../src/transport/tcp/tcp-transport.ts';
import type {
  Drop,
  Introduction,
  Message,
  Transport,
  TransportListener,
} from '../../src/transport/transport.ts';
import { introductionOf } from './wire.ts';

/** A received message and its sender. */
interface Received extends Message {
  readonly from: string;
}

/** A member and the events of its transport. Disposing closes it. */
export interface TcpMember extends AsyncDisposable {
  readonly transport: Transport;
  readonly port: number;
  readonly received: readonly Received[];
  /** All other events, as text. */
  readonly updates: readonly string[];
  /** Resolves once `holds` returns `true`; rejects after a deadline with the events. */
  until(what: string, holds: () => boolean): Promise<void>;
  /** Resolves once that event was reported. */
  reported(line: string | RegExp): Promise<void>;
}

/**
 * The addresses of members: `book.from a to b` is the address at which a reaches b. Filled in when
 * members start to listen.
 */
export class AddressBook {
  readonly #addresses = new Map<string, string>();

  /** Sets the address of a member for all others. */
  set(member: string, port: number): void {
    if (!this.#addresses.has(member)) this.#addresses.set(member, `127.0.0.1:${port}`);
  }

  /** Sets the address of a member for one other. */
  divert(from: string, to: string, port: number): void {
    this.#addresses.set(`${from} to ${to}`, `127.0.0.1:${port}`);
  }

  find(from: string, to: string): string | undefined {
    return this.#addresses.get(`${from} to ${to}`) ?? this.#addresses.get(to);
  }
}

export interface TcpMemberOptions extends TcpOptions {
  readonly book: AddressBook;
  readonly group?: string;
  readonly introduction?: Partial<Introduction>;
  readonly epoch?: number;
  readonly reaches?: readonly string[];
  /** Whether the member listens, if `listening` does not show it. */
  readonly isListening?: () => boolean;
}

const epochMembers = ['a', 'b', 'c'].map((member) => ({ member }));

/** T of these members: heartbeats are sent every 100 ms. Milliseconds. */
const thresholdMs = 600;

/** Opens a member on a free port. Default: it reaches all three members. */
export async function tcpMember(member: string, options: TcpMemberOptions): Promise<TcpMember> {
  const {
    book,
    group = 'g',
    introduction,
    epoch = 4,
    reaches = ['a', 'b', 'c'],
    isListening,
    ...tcp
  } = options;
  const received: Received[] = [];
  const updates: string[] = [];
  const note = (line: string): void => void updates.push(line);
  const listener: TransportListener = {
    listening: () => undefined,
    received: ({ member: from }, messages) =>
      void received.push(...messages.map((message) => ({ from, ...message }))),
    wrongEpoch: (from, number) => note(`${from.member} is in ${number}`),
    connected: (peer) => note(`met ${peer.incarnation}`),
    disconnected: (peer) => note(`parted from ${peer.incarnation}`),
    published: ({ incarnation }, { trouble = '', roles = [] }) =>
      note(`${incarnation} publishes ${[trouble, ...roles].join()}`),
    displaced: ({ member: at }, { incarnation, address }) =>
      note(`displaced at ${at} by ${incarnation} from ${address}`),
    failed: (name, error) => note(`${name ?? 'network'} failed: ${error.code}: ${error.message}`),
    mended: (name) => note(`${name ?? 'network'} mended`),
    // `transport.dropped` has the count.
    dropped: (what: Drop) =>
      updates.includes(`dropped ${what}`) ? undefined : note(`dropped ${what}`),
  };
  let port = 0;
  const open = tcpTransport({
    listen: { host: '127.0.0.1', port: 0 },
    addresses: (name) => book.find(member, name),
    listening(at) {
      port = at.port;
      book.set(member, port);
    },
    ...tcp,
  });
  const self = introductionOf(member, introduction);
  const transport = open({
    self,
    group,
    partitions: 3,
    thresholdMs,
    clock: monotonicClock,
    random: Math.random,
    listener,
  });
  transport.enter({
    number: epoch,
    members: epochMembers,
    quorums: { kind: 'majority' },
    tokens: [],
  });
  const until: TcpMember['until'] = async (what, holds) => {
    const details = (): string =>
      ['', member, ...updates.slice(-40), JSON.stringify(transport.dropped)].join('\n  ');
    await eventually(what, holds, { details });
  };
  await until('it listens', isListening ?? (() => port !== 0));
  transport.reach(reaches);
  const matches = (line: string | RegExp) => (one: string) =>
    typeof line === 'string' ? one === line : line.test(one);
  return {
    transport,
    port,
    received,
    updates,
    until,
    reported: (line) => until(String(line), () => updates.some(matches(line))),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}
