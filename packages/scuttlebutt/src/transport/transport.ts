// The port through which gossip members exchange messages: UDP implements it, and memory in tests.
// Rule numbers such as R3: docs/reference/rules.md.
import type { Message } from '../protocol/message.ts';
import type { Drop } from './envelope.ts';

/** The member that opens a transport. */
export interface GossipPlace {
  readonly group: string;
  /** The name of this member. */
  readonly member: string;
  readonly partitions: number;
  /** The configuration on which all members must agree (R3), in short. */
  readonly pin: string;
  /** The voters and seeds. */
  readonly configured: readonly string[];
}

/** Receives what arrives. */
export interface GossipListener {
  /**
   * A message has arrived. The protocol checks its content. `isProved`: its sender has shown lately
   * that it receives at the address of its name. A message without that proof may be a recorded one;
   * it takes part in the protocol, which tolerates it, and is no ground for a report.
   */
  received(message: Message, isProved: boolean): void;
  /** A datagram or a stream was discarded, or a message was not sent. */
  dropped(reason: Drop): void;
  /** Something could not be sent to a member; of this member: its socket has failed. */
  failed(member: string, error: Error): void;
  /**
   * A message that does not fit into a datagram did not arrive at a member; `undefined`: one has. The
   * sentence of the error names the address and the protocol.
   */
  streamed(member: string, error: Error | undefined): void;
  /** The host name of a configured member has no address; `undefined`: it has one now. */
  unresolved(member: string, error: Error | undefined): void;
  /** The keys of this member could not be renewed; `undefined`: they were. */
  keys(error: Error | undefined): void;
}

/** A transport that listens. */
export interface GossipTransport {
  /** The bytes that a message may have to fit into one datagram. */
  readonly messageBytesMax: number;
  /** Sends a message, or drops it: the protocol tolerates loss. */
  send(to: string, message: Message): void;
  /** Closes the sockets. Messages that wait are not sent. */
  close(): Promise<void>;
}

/**
 * Opens the transport of one member.
 * @throws LeadershipError `invalid-options` if it may not listen with these options, `unreachable`
 * if it cannot listen now
 */
export interface OpenGossip {
  (place: GossipPlace, listener: GossipListener): Promise<GossipTransport>;
  /** Returns why this member cannot listen, or cannot reach these voters and seeds, if so. */
  readonly fault?: (member: string, configured: readonly string[]) => string | undefined;
}
