import { connect, type Socket } from 'node:net';
import type { LeadershipSource } from '@leadership/core';
import type { Cluster } from '@leadership/testkit';
import type { ISocketFactory } from 'kafkajs';
import { type FrameFault, type FrameFaults, frameFaults } from './frame-faults.ts';

/** Each member's own connections, so that one member alone can be cut off. */
export interface MemberConnections {
  /**
   * Opens a member that connects by the factory it is given, or hands over each socket that it
   * opens.
   */
  track(
    open: (socketFactory: ISocketFactory, opened: (socket: Socket) => void) => LeadershipSource,
  ): LeadershipSource;
  /** Resets the member's connections, and lets it open none until the answer is disposed. */
  cut(source: LeadershipSource): Disposable;
  /** Injects faults into the requests of one member. */
  readonly storeFaults: Required<Pick<Cluster, 'storeFaults'>>['storeFaults'];
  /** The number of requests that all members have sent so far. */
  requests(): number;
}

interface Connections {
  readonly faults: FrameFaults;
  readonly sockets: Set<Socket>;
  isCut: boolean;
}

const faults: readonly FrameFault[] = [
  'reads-cut',
  'writes-cut',
  'hung-reads',
  'lost-replies',
  'late-writes',
];

/** A port without a listener. */
const closedPort = 1;

export function memberConnections(): MemberConnections {
  const connections = new Map<LeadershipSource, Connections>();
  const connectionsOf = (source: LeadershipSource): Connections => {
    const own = connections.get(source);
    if (own === undefined) throw new Error(`${source.member} was not opened here`);
    return own;
  };
  return {
    track(open) {
      const own: Connections = { faults: frameFaults(), sockets: new Set(), isCut: false };
      const note = (socket: Socket): void => {
        own.faults.watch(socket);
        own.sockets.add(socket);
        socket.once('close', () => own.sockets.delete(socket));
      };
      const factory: ISocketFactory = ({ host, port, onConnect }) => {
        const socket = connect(
          { host, port: own.isCut ? closedPort : port, noDelay: true },
          onConnect,
        );
        note(socket);
        return socket;
      };
      const opened = (socket: Socket): void => {
        if (own.isCut) throw new Error('cut off');
        note(socket);
      };
      const source = open(factory, opened);
      connections.set(source, own);
      return source;
    },
    cut(source) {
      const own = connectionsOf(source);
      own.isCut = true;
      for (const socket of own.sockets) socket.destroy(new Error('cut off'));
      return {
        [Symbol.dispose]() {
          own.isCut = false;
        },
      };
    },
    storeFaults: Object.fromEntries(
      faults.map((fault) => [
        fault,
        (source: LeadershipSource) => connectionsOf(source).faults.inject(fault),
      ]),
    ),
    requests: () =>
      [...connections.values()].reduce((sum, { faults: { requests } }) => sum + requests, 0),
  };
}
