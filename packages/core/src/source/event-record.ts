import { causeJson } from '../contract/error-json.ts';
import type { LeadershipEvent, LeadershipEventKind } from '../contract/event.ts';
import type { Trouble } from '../contract/health.ts';

/** What an event says beside its kind and its member. */
export type EventDetails = Omit<LeadershipEvent, 'at' | 'kind' | 'member'>;

/** An event of now, with a `toJSON` of its own: tokens are `bigint`, and a cause may be anything. */
export function eventOf(kind: LeadershipEventKind, member: string, details: EventDetails = {}): LeadershipEvent {
  return Object.assign(new EventRecord(kind, member), details);
}

/** What an event says of a trouble, a warning or a refusal. */
export function detailsOf({ code, message, cause, partition }: Omit<Trouble, 'since'>): EventDetails {
  return { code, message, ...(partition !== undefined && { partition }), ...(cause !== undefined && { cause }) };
}

class EventRecord {
  readonly at: number = Date.now();
  readonly kind: LeadershipEventKind;
  readonly member: string;

  constructor(kind: LeadershipEventKind, member: string) {
    this.kind = kind;
    this.member = member;
  }

  toJSON(): Readonly<Record<string, unknown>> {
    const { token, cause, ...plain }: LeadershipEvent = this;
    return { ...plain, ...(token !== undefined && { token: `${token}` }), ...(cause !== undefined && { cause: causeJson(cause) }) };
  }
}
