// How members speak with each other, as a port: TCP implements it, and so does memory in tests. A transport may lose, repeat, delay and
// reorder; the protocol holds whatever it does. What it must not do is deliver what the named sender did not say.
import type { LeadershipError, Metadata } from '@leadership/core';
import type { Clock } from '@leadership/core/backend';
import type { Epoch } from '../protocol/electorate.ts';
import type { Item, Sender } from '../protocol/message.ts';

/** What one member tells another, and the epoch it was in then. */
export interface Message {
  readonly epoch: number;
  readonly item: Item;
}

/** What all members of a group must agree on, by name: the number of partitions, the longest lease, how time is measured (R3). */
export type Pin = Readonly<Record<string, string | number>>;

/** What a member says of itself when it meets another, before anything else. */
export interface Introduction extends Sender {
  readonly pin: Pin;
  /** What rosters show beside its name. */
  readonly metadata: Metadata;
}

/** Another process that takes part under this member's name. */
export interface Namesake {
  /** Its incarnation, new at every start. */
  readonly incarnation: string;
  /** Where the member that reports it meets it: the host that it calls from, or the `HOST:PORT` at which it listens. May be empty. */
  readonly address: string;
}

/** Why something was dropped. Each is counted, and nothing else is done with it. */
export type Drop =
  /** No frame, or one whose content is not what any member says. */
  | 'malformed'
  /** Announced as longer than any frame is. */
  | 'oversized'
  /** Not signed by a key that is accepted, or not by whom it says. */
  | 'forged'
  /** Out of sequence: said before, or on another connection. */
  | 'replayed'
  | 'wrong-version'
  | 'wrong-group'
  /** Said in an epoch that is not this member's. `strayed` tells who is in which. */
  | 'wrong-epoch'
  /** Meant for another member. */
  | 'misdirected'
  /** By a member with another pin. */
  | 'pin-differs'
  /** A connection that was not taken, cut, or made to wait: too many, too fast, or too slow to say who it is. */
  | 'flood'
  /** A message of our own that was too old or one too many before it could be sent. */
  | 'unsent';

/** Who listens to a transport. Called from the event loop, one at a time, never from within a call of the transport; never after `close`. */
export interface Ears {
  /** Someone said this, in this member's epoch; or that an epoch runs, in any. */
  heard(from: Sender, message: Message): void;
  /** Someone spoke in another epoch. What it said is dropped and counted: one of the two is behind, and has to be told (N13). */
  strayed(from: Sender, epoch: number): void;
  /** Another member is there: one not met before, or in another life, or again after all connections with it had ended. */
  met(peer: Introduction): void;
  /** The last connection with it, either way, has ended. */
  parted(peer: Sender): void;
  /** `by`, another live process of this member's name, has taken this member's place at `at`. */
  displaced(at: Sender, by: Namesake): void;
  /**
   * A member, or where none is named the network, cannot be reached; tried again all the while. `unreachable`: time may mend it.
   * `unauthorized`: keys or certificates do not fit. `partitions-differ`: its pin is another, and nothing it says is heard.
   */
  failed(member: string | undefined, error: LeadershipError): void;
  /** What is said to that member goes out now. Also told where nothing has failed before. */
  mended(member: string | undefined): void;
  /** Something was dropped: one more of its kind. */
  dropped(what: Drop): void;
}

/** How a member speaks with the others. Every call is safe at any time, also after `close`. */
export interface Transport {
  /** Keeps a connection to each of these, and to nobody else for long. Itself among them counts for nothing. */
  reach(members: readonly string[]): void;
  /** From now on this member is in that epoch: see `Ears.strayed`. Before the first call it is in none. Only its members are heard of. */
  enter(epoch: Epoch): void;
  /**
   * Sends, or loses it. What is said in one turn of the event loop travels together. Where a peer is too slow, newer messages replace
   * older ones that they make pointless. To a member that is not to be reached: tries once.
   */
  send(to: string, message: Message): void;
  /** Whether what is sent to that member now goes out on a connection that it has answered. */
  isReached(member: string): boolean;
  /** What was dropped so far. */
  readonly dropped: Readonly<Record<Drop, number>>;
  /** Sends what was said already, as far as that goes at once, and ends every connection: no socket, timer or handle is left. Idempotent. */
  close(): Promise<void>;
}

/** With what a transport is opened. */
export interface TransportParts {
  readonly self: Introduction;
  readonly group: string;
  /** M: what speaks of a partition beyond it is malformed. */
  readonly partitions: number;
  /** T: what takes longer is of no use. Milliseconds. */
  readonly thresholdMs: number;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly ears: Ears;
}

/** Opens a transport. */
export interface OpenTransport {
  /**
   * Throws where `fault` has something to say, or what the member must have to speak at all, its keys say, cannot be had: then the member
   * refuses to start. What may be had later, an address to listen at say, is told to `failed`, and tried again.
   */
  (parts: TransportParts): Transport;
  /** What keeps it from being opened for that member among those, in words; `undefined` where nothing does. To be asked first. */
  readonly fault?: (member: string, members: readonly string[]) => string | undefined;
}
