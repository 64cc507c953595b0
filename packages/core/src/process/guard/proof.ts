// The proof by which the guard of a host knows that a process has died (L13). The simulation uses
// the same rule.

/** The knowledge of an observer about one member that connected to it inside one kernel. */
export interface Observation {
  /** Whether the member has named its incarnation over the connection. */
  readonly isIdentified: boolean;
  /**
   * How the connection ended. `there`: the member's side closed it. `here`: the observer closed it.
   * `error`: anything else, such as a reset.
   */
  readonly end: 'open' | 'there' | 'here' | 'error';
  /** Whether the member has said goodbye over the connection (L14). */
  readonly saidGoodbye: boolean;
  /**
   * How the address answers now that the member announced over the connection. `missing`: no socket
   * has that name any more, which proves nothing.
   */
  readonly address: 'unknown' | 'accepts' | 'refuses' | 'missing';
  /**
   * Whether the process of the member still runs, as far as the observer can see. It may run in a
   * namespace of its own, so that its end proves nothing, and the observer cannot query it.
   */
  readonly process: 'unknown' | 'runs' | 'ended';
}

/**
 * L13: Returns whether the observed incarnation is dead. Both descriptors of the process must be
 * gone, the connection and the listening socket: a living process may close one of them by mistake.
 */
export function provesDeath(observation: Observation): boolean {
  const { isIdentified, end, saidGoodbye, address, process } = observation;
  const isGone = end === 'there' && address === 'refuses' && process !== 'runs';
  return isIdentified && !saidGoodbye && isGone;
}
