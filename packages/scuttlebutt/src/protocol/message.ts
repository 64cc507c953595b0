// The messages between the members of a group. Rule numbers such as R3: docs/reference/rules.md.
import type { Declaration } from './election/declaration.ts';
import type { Body } from './gossip/digests.ts';
import type { Row } from './gossip/node.ts';

/** A message between members. It fits into one datagram, unless one declaration does not. */
export interface Message {
  /** The settings that all members of a group must share (R3). */
  readonly pin: string;
  /** The sender's own row: a sign of life. */
  readonly from: Row;
  readonly body: Body<Declaration>;
}
