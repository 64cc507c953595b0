import { type MemberEvent, type ProcessMember, type Reign, reignsOf } from '@leadership/testkit/faults';

/** Everything there is to tell of a soak. Members' logs are folded into reigns as their lives end: hours of them fit in memory. */
export interface Chronicle {
  readonly reigns: readonly Reign[];
  /** Life → when it was killed. */
  readonly killed: ReadonlyMap<string, bigint>;
  /** Whatever else was told or done → how often. */
  readonly counts: ReadonlyMap<string, number>;
  count(what: string): void;
  /** A life is over: in order, or killed at that instant. */
  ended(member: ProcessMember, killedAtNs?: bigint): void;
}

/** An empty one. */
export function chronicle(): Chronicle {
  const reigns: Reign[] = [];
  const killed = new Map<string, bigint>();
  const counts = new Map<string, number>();
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  return {
    reigns,
    killed,
    counts,
    count,
    ended({ events }, killedAtNs) {
      const [first] = events;
      if (first && killedAtNs !== undefined) killed.set(first.life, killedAtNs);
      reigns.push(...reignsOf(events));
      for (const event of events) for (const what of worthCounting(event)) count(what);
    },
  };
}

function worthCounting({ kind, detail }: MemberEvent): readonly string[] {
  if (kind === 'opened') return ['lives'];
  if (kind === 'refused') return [`refused: ${detail?.split(':')[0]}`];
  if (kind === 'fenced') return [`fenced: ${detail}`];
  if (kind === 'first-statement' && detail === 'true') return ['first statement after a block: leading'];
  if (kind === 'health' && detail?.startsWith('trouble')) return [`health: ${detail}`];
  return kind === 'released' ? ['released in order'] : [];
}
