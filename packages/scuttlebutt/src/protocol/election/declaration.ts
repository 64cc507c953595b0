// The value by which a member takes part in the election: it publishes its vote and its candidacy
// as one value with one sequence number, so that its choice of a leader is never combined with the
// bound of another moment. Rule numbers such as S4: docs/reference/rules.md.

/** One life of a member. */
export interface Life {
  readonly member: string;
  readonly generation: number;
}

/** Whether both are the same life of the same member. */
export function isSameLife(a: Life, b: Life): boolean {
  return a.generation === b.generation && a.member === b.member;
}

/** A voter's support for its favorite (S4). */
export interface Support extends Life {
  /** A lower bound on the favorite's clock when the voter declared this. Milliseconds. */
  readonly bound: number;
  /** The greatest claim of the favorite that the voter has accepted here; 0 for none (T1). */
  readonly token: bigint;
  /** If the voter has accepted no claim: a claim must be greater than this. */
  readonly above: bigint;
}

/** A reply to a voter that has lost its memory. */
export interface Answer extends Life {
  /** The number of the query. */
  readonly ask: number;
  /** Whether the sender knows every claim that it has ever accepted. */
  readonly remembers: boolean;
}

/** What a witness says to the next life of a voter that has closed in order (S7). */
export interface Attest extends Life {
  /** The generation that published the last vote. */
  readonly last: number;
  /** The greatest claim that this voter had accepted by then. */
  readonly known: bigint;
}

/** The declaration of a voter. */
export interface Vote {
  /** By partition. */
  readonly supports: readonly (Support | undefined)[];
  /** The greatest claim that the voter has accepted from any member. */
  readonly known: bigint;
  /** The number of the voter's query for tokens; 0 if it has none. */
  readonly ask: number;
  readonly answers: readonly Answer[];
  /** The witnesses of a last vote (S7). Empty: further votes may follow. */
  readonly witnesses: readonly Life[];
  readonly attests: readonly Attest[];
}

/** Whether a vote supports that life, answers a query of it, or attests its last vote. */
export function refersTo({ supports, answers, attests }: Vote, life: Life): boolean {
  return (
    supports.some((support) => support !== undefined && isSameLife(support, life)) ||
    [...answers, ...attests].some((one) => isSameLife(one, life))
  );
}

/** A promise to count no vote with a bound up to the horizon. */
export interface Resignation {
  readonly partition: number;
  /** A reading of the clock of the member that resigns. Milliseconds. */
  readonly horizon: number;
  /** The candidate that voters should support then. */
  readonly successor: string | undefined;
}

/** The declaration of a candidate. */
export interface Candidacy {
  /** The token of its next terms; 0 for none. */
  readonly claim: bigint;
  /** By partition: whether it wants to lead. */
  readonly stands: readonly boolean[];
  /** By partition: the token of its current term. Empty if it leads nothing. */
  readonly leads: readonly (bigint | undefined)[];
  /** By partition: whether its current term is about to end in order. */
  readonly leaving: readonly boolean[];
  /** By partition: whether it asks the leader for it. */
  readonly wants: readonly boolean[];
  readonly resignations: readonly Resignation[];
}

/** The declaration of a member. */
export interface Declaration {
  readonly vote: Vote | undefined;
  readonly candidacy: Candidacy | undefined;
}

/** Returns the horizon of a member in a partition. */
export function horizonOf(candidacy: Candidacy | undefined, partition: number): number {
  const found = candidacy?.resignations.find((one) => one.partition === partition);
  return found?.horizon ?? Number.NEGATIVE_INFINITY;
}
