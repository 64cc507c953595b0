import { causeJson } from '../contract/error-json.ts';
import type { LeadershipEvent, LeadershipEventKind } from '../contract/event.ts';
import type { Trouble } from '../contract/health.ts';
import { type Clock, wallMs } from '../time/clock.ts';

/** The fields of an event other than its time, kind and member. */
export type EventDetails = Omit<LeadershipEvent, 'at' | 'kind' | 'member'>;

/**
 * Creates an event with the current time of the clock. Its own `toJSON` handles `bigint` tokens and
 * arbitrary causes.
 */
export function eventOf(
  kind: LeadershipEventKind,
  member: string,
  clock: Clock,
  details: EventDetails = {},
): LeadershipEvent {
  return Object.assign(new EventRecord(kind, member, wallMs(clock)), details);
}

/** Returns the event fields for a trouble, a warning or a refusal. */
export function detailsOf({
  code,
  message,
  cause,
  partition,
}: Omit<Trouble, 'since'>): EventDetails {
  return {
    code,
    message,
    ...(partition !== undefined && { partition }),
    ...(cause !== undefined && { cause }),
  };
}

class EventRecord {
  readonly at: number;
  readonly kind: LeadershipEventKind;
  readonly member: string;

  constructor(kind: LeadershipEventKind, member: string, at: number) {
    this.at = at;
    this.kind = kind;
    this.member = member;
  }

  toJSON(): Readonly<Record<string, unknown>> {
    const { token, cause, ...plain }: LeadershipEvent = this;
    return {
      ...plain,
      ...(token !== undefined && { token: `${token}` }),
      ...(cause !== undefined && { cause: causeJson(cause) }),
    };
  }
}
