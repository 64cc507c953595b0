// Minimal members for tests, each with a clock of its own.
import type { Moment } from '@leadership/core/internal/engine';
import {
  driftRules,
  type Epoch,
  type MemberState,
  type NerioRules,
  newMember,
  type QuorumSpec,
  type Self,
} from '../../src/protocol.ts';

/** One incarnation of a member with the default values of tests: δ = 1000 ms, ρ = 5 %, no skew. */
export function selfNamed(member: string, changes: Partial<Self> = {}): Self {
  const life = changes.life ?? 0;
  return {
    member,
    incarnation: `${member}${life}`,
    life,
    partitions: 1,
    spacingMs: 960,
    roundTripMs: 40,
    leaseMsMax: 2000,
    driftRate: 0.05,
    skewMs: 0,
    pingMs: 300,
    jitter: 0,
    ...changes,
  };
}

/** Epoch 0 of these members. All are voters and candidates. */
export function epochOf(
  names: readonly string[],
  quorums: QuorumSpec = { kind: 'majority' },
): Epoch {
  return { number: 0, members: names.map((member) => ({ member })), quorums, tokens: [] };
}

/** Both clocks at `at`. */
export function momentAt(at: number, wallMicros = 0): Moment {
  return { now: at as Moment['now'], wallMicros };
}

/**
 * A member that has nothing to remember and nothing to wait for, and whose messages are not
 * answered.
 */
export function settled(
  self: Self,
  epoch: Epoch,
  at = 0,
  rules: NerioRules = driftRules,
): MemberState {
  return {
    ...newMember(rules, self, { hardState: { epoch, wedge: undefined } }, momentAt(at)),
    mutedUntil: at,
    learning: undefined,
  };
}
