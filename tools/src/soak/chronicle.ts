import { type MemberEvent, type ProcessMember, type Reign, reignsOf } from '@leadership/testkit/faults';

/** Everything there is to tell of a soak. Members' logs are folded into reigns as their lives end: hours of them fit in memory. */
export interface Chronicle {
  readonly reigns: readonly Reign[];
  /** Life → when it was killed. */
  readonly killed: ReadonlyMap<string, bigint>;
  /** Whatever else was told or done → how often. */
  readonly counts: ReadonlyMap<string, number>;
  /** The lives that failed by themselves, each with what its process wrote to its standard error. */
  readonly failures: readonly string[];
  count(what: string): void;
  /** A life has begun: from now on its failure is noted, also where it is killed or stopped before anyone would ask. */
  began(member: ProcessMember): void;
  /** A life is over: in order, or killed at that instant. */
  ended(member: ProcessMember, killedAtNs?: bigint): void;
}

/** No timer runs longer: some 24 days. Milliseconds. */
const longestMs = 2 ** 31 - 1;

/** How a life may end: killed by the soak, or closed in order. Everything else is a failure, an unhandled rejection for instance. */
const expectedEnd = /^the member has ended \((SIGKILL|exit code 0)\)/;

/** An empty one. */
export function chronicle(): Chronicle {
  const reigns: Reign[] = [];
  const killed = new Map<string, bigint>();
  const counts = new Map<string, number>();
  const failures: string[] = [];
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  return {
    reigns,
    killed,
    counts,
    failures,
    count,
    began(member) {
      const failed = ({ message }: Error): void => void (expectedEnd.test(message) || failures.push(`${member.member}: ${message}`));
      member.until(() => false, longestMs).catch(failed);
    },
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
