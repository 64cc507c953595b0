// Keeps what the members of a soak test report.
import {
  type MemberEvent,
  type ProcessMember,
  type TermRecord,
  termRecordsOf,
} from '@leadership/testkit/faults';

/**
 * The record of a soak. The events of each incarnation are folded into terms when it ends, so that
 * hours of them fit into memory.
 */
export interface Recorder {
  readonly terms: readonly TermRecord[];
  /** Incarnation → the instant when it was killed, in nanoseconds on the host's monotonic clock. */
  readonly killed: ReadonlyMap<string, bigint>;
  /** Kind of event or fault → how often it occurred. */
  readonly counts: ReadonlyMap<string, number>;
  /** The incarnations that failed by themselves, each with the standard error of its process. */
  readonly failures: readonly string[];
  count(what: string): void;
  /**
   * Watches a new incarnation. Its failure is recorded even if the soak kills or stops it
   * afterwards.
   */
  began(member: ProcessMember): void;
  /** Records that an incarnation has ended: in order, or killed at `killedAtNs`. */
  ended(member: ProcessMember, killedAtNs?: bigint): void;
}

/** The longest timeout that Node supports, in milliseconds: about 24 days. */
const longestMs = 2 ** 31 - 1;

/**
 * Expected ends: killed by the soak, or closed in order. Any other end is a failure, for example an
 * unhandled rejection.
 */
const expectedEnd = /^the member has ended \((SIGKILL|exit code 0)\)/;

/** Returns an empty record. */
export function createRecorder(): Recorder {
  const terms: TermRecord[] = [];
  const killed = new Map<string, bigint>();
  const counts = new Map<string, number>();
  const failures: string[] = [];
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  return {
    terms,
    killed,
    counts,
    failures,
    count,
    began(member) {
      const failed = ({ message }: Error): void =>
        void (expectedEnd.test(message) || failures.push(`${member.member}: ${message}`));
      member.until(() => false, longestMs).catch(failed);
    },
    ended({ events }, killedAtNs) {
      const [first] = events;
      if (first && killedAtNs !== undefined) killed.set(first.life, killedAtNs);
      terms.push(...termRecordsOf(events));
      for (const event of events) for (const what of worthCounting(event)) count(what);
    },
  };
}

function worthCounting({ kind, detail }: MemberEvent): readonly string[] {
  if (kind === 'opened') return ['lives'];
  if (kind === 'measured' && detail !== undefined) return [detail];
  if (kind === 'refused') return [`refused: ${detail?.split(':')[0]}`];
  if (kind === 'fenced') return [`fenced: ${detail}`];
  if (kind === 'first-statement' && detail === 'true')
    return ['first statement after a block: leading'];
  if (kind === 'health' && detail?.startsWith('trouble')) return [`health: ${detail}`];
  return kind === 'released' ? ['released in order'] : [];
}
