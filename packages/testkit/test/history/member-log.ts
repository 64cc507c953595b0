import type { MemberEvent } from '../../src/faults.ts';

/** Builds one member's log for a test. Instants are in milliseconds. */
export interface MemberLogBuilder {
  readonly events: readonly MemberEvent[];
  acquired(at: number, until?: number): MemberLogBuilder;
  prolonged(at: number, until: number): MemberLogBuilder;
  revoked(at: number): MemberLogBuilder;
  working(at: number): MemberLogBuilder;
  settled(at: number): MemberLogBuilder;
  released(at: number, led?: number): MemberLogBuilder;
  fenced(at: number, reason: string, led?: number): MemberLogBuilder;
  firstStatement(at: number, isLeading: boolean): MemberLogBuilder;
}

const ns = (ms: number): bigint => BigInt(Math.round(ms * 1e6));

/** Returns an empty log of `member` in term `token` of partition 0. */
export function memberLog(
  member: string,
  token: number,
  changes: Partial<MemberEvent> = {},
): MemberLogBuilder {
  const events: MemberEvent[] = [];
  const add = (
    kind: MemberEvent['kind'],
    at: number,
    more: Partial<MemberEvent> = {},
  ): MemberLogBuilder => {
    events.push({
      kind,
      atNs: ns(at),
      member,
      life: `life of ${member}`,
      partition: 0,
      token: BigInt(token),
      ...more,
      ...changes,
    });
    return reported;
  };
  const ledNs = (led?: number): Partial<MemberEvent> =>
    led === undefined ? {} : { ledNs: ns(led) };
  const reported: MemberLogBuilder = {
    events,
    acquired: (at, until) => add('acquired', at, until === undefined ? {} : { untilNs: ns(until) }),
    prolonged: (at, until) => add('prolonged', at, { untilNs: ns(until) }),
    revoked: (at) => add('revoked', at),
    working: (at) => add('working', at),
    settled: (at) => add('settled', at),
    released: (at, led) => add('released', at, ledNs(led)),
    fenced: (at, detail, led) => add('fenced', at, { detail, ...ledNs(led) }),
    firstStatement: (at, isLeading) => add('first-statement', at, { detail: String(isLeading) }),
  };
  return reported;
}
