// The port through which members exchange messages. TCP implements it, and memory does in tests. A
// transport may lose, repeat, delay and reorder messages; the protocol is safe all the same. It
// must not deliver a message that the named sender did not send.
import type { LeadershipError, Metadata } from '@leadership/core';
import type { Clock, Publication } from '@leadership/core/adapter';
import type { Epoch } from '../protocol/electorate.ts';
import type { Item, Sender } from '../protocol/message.ts';

/** A message from one member to another, and the sender's epoch at that moment. */
export interface Message {
  /** The number of the sender's epoch. */
  readonly epoch: number;
  /** The content, which a transport passes on unchanged. */
  readonly item: Item;
}

/** The first message of a member on a new connection: it describes the member. */
export interface Introduction extends Sender {
  /**
   * The values that all members of a group must have in common, by name: the number of partitions,
   * the longest lease, the clock in use (R3). Members with another pin refuse the sender.
   */
  readonly pin: Readonly<Record<string, string | number>>;
  /** Shown beside the member's name in rosters. */
  readonly metadata: Metadata;
  /** Whether it was no candidate when it started. Shown in the list of members, and never decisive. */
  readonly observes?: true;
  /** When it started, by its wall clock: milliseconds since 1970. Shown there as well. */
  readonly since?: number;
}

/** The values that a member publishes about itself while it runs. */
export type Published = Publication;

/** The values on which all members agree. */
export type Pin = Introduction['pin'];

/**
 * Why a message or connection was dropped. The transport counts each and does nothing else with it.
 */
export type Drop =
  /** Not a frame, or a frame whose content no member would send. */
  | 'malformed'
  /** The announced length exceeds that of any frame. */
  | 'oversized'
  /** Not signed with an accepted key, or not by the named member. */
  | 'forged'
  /** Out of sequence: a repetition, or a frame of another connection. */
  | 'replayed'
  | 'wrong-version'
  | 'wrong-group'
  /** Sent in an epoch that is not this member's. `wrongEpoch` reports the sender and its epoch. */
  | 'wrong-epoch'
  /** Addressed to another member. */
  | 'misdirected'
  /** Sent by a member with another pin. */
  | 'pin-differs'
  /**
   * A connection that was refused, ended or slowed down: too many connections, too many messages,
   * or too slow to authenticate.
   */
  | 'flood'
  /**
   * A message of this member that became too old, or exceeded the backlog, before it could be sent.
   */
  | 'unsent';

/**
 * Receives the events of a transport. Called from the event loop, one at a time, never during a
 * call of the transport and never after `close`.
 */
export interface TransportListener {
  /**
   * Other members can connect to this one. Until the first call it neither grants nor leads: if it
   * cannot listen, another process may already run under its name.
   */
  listening(): void;
  /**
   * The messages of one frame arrived, in the order of sending: of this member's epoch, or
   * `running` messages of any epoch.
   */
  received(from: Sender, messages: readonly Message[]): void;
  /**
   * A message of another epoch arrived, and was dropped and counted. One of the two members is
   * behind and must be informed (N13).
   */
  wrongEpoch(from: Sender, epoch: number): void;
  /**
   * Another member is connected: for the first time, in a new incarnation, or again after all
   * connections with it had ended.
   */
  connected(peer: Introduction): void;
  /** A connected member publishes something else about itself. It is for people, and never decisive. */
  published(peer: Sender, publication: Publication): void;
  /** The last connection with that member, in either direction, has ended. */
  disconnected(peer: Sender): void;
  /** `by`, another live process of this member's name, has taken this member's place at `at`. */
  displaced(
    at: Sender,
    by: {
      /** Its incarnation, new at every start. */
      readonly incarnation: string;
      /**
       * Its address as the reporting member sees it: the remote host, or the `HOST:PORT` on which it
       * listens. May be empty.
       */
      readonly address: string;
    },
  ): void;
  /**
   * A member cannot be reached, or the network if no member is named. The transport keeps trying.
   * `unreachable`: may pass. `unauthorized`: keys or certificates do not fit. `partitions-differ`:
   * the member has another pin, and its messages are dropped.
   */
  failed(member: string | undefined, error: LeadershipError): void;
  /** Messages to that member are sent again. Also called if nothing had failed before. */
  mended(member: string | undefined): void;
  /** One message or connection was dropped for that reason. */
  dropped(what: Drop): void;
}

/** Another live process that has taken a member's place. */
export type Displacer = Parameters<TransportListener['displaced']>[1];

/** Connects a member to the others. Every method may be called at any time, also after `close`. */
export interface Transport {
  /**
   * Keeps a connection to each of these members, and to no other member for long. The member's own
   * name is ignored.
   */
  reach(members: readonly string[]): void;
  /**
   * Sets this member's epoch: see `TransportListener.wrongEpoch`. Before the first call it has none.
   * Messages may name members of this epoch only.
   */
  enter(epoch: Epoch): void;
  /**
   * Sends the message, or loses it. Messages of one turn of the event loop travel together. If a
   * peer is too slow, newer messages replace older ones that they make obsolete. For a member
   * outside `reach` the transport connects once.
   */
  send(to: string, message: Message): void;
  /**
   * Notes what this member publishes about itself. Every connected member receives the latest value, with
   * what is sent anyway. A transport without this method publishes nothing.
   */
  publish?(publication: Publication): void;
  /**
   * Whether a message to that member would go out now, on a connection that the member has
   * answered.
   */
  isReached(member: string): boolean;
  /** The number of drops so far, by reason. */
  readonly dropped: Readonly<Record<Drop, number>>;
  /**
   * Sends the waiting messages, as far as possible at once, and ends every connection. No socket,
   * timer or handle is left. Idempotent.
   */
  close(): Promise<void>;
}

/** The parts from which a transport is opened. */
export interface TransportParts {
  /** What this member tells its peers about itself. */
  readonly self: Introduction;
  /** The group. A transport delivers no messages of other groups. */
  readonly group: string;
  /** M. A message about a partition outside 0 … M−1 is malformed. */
  readonly partitions: number;
  /** T, in milliseconds. Slower answers are useless. */
  readonly thresholdMs: number;
  /** The only clock that a transport may use. */
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Receives what the transport receives. */
  readonly listener: TransportListener;
}

/** Opens a transport. */
export interface OpenTransport {
  /**
   * Throws if `fault` returns a text, or if the keys or certificates cannot be loaded: then the
   * member refuses to start. For a failure that may pass, such as a port in use, it calls `failed`
   * and tries again.
   */
  (parts: TransportParts): Transport;
  /**
   * Returns why the transport cannot be opened for that member among those members; `undefined` if
   * it can. Call it first.
   */
  readonly fault?: (member: string, members: readonly string[]) => string | undefined;
}
