// The lines that a member process writes, and how a test reads them.
import type { MemberEvent } from './process-member.ts';

/** Serializes an event as one line of JSON, with instants and tokens as decimal strings. */
export function formatEvent(event: MemberEvent): string {
  return JSON.stringify(event, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

/** Parses a line that {@link formatEvent} wrote. */
export function parseEvent(line: string): MemberEvent {
  return JSON.parse(line, (key, value: unknown) =>
    isNumeral(key) && typeof value === 'string' ? BigInt(value) : value,
  ) as MemberEvent;
}

function isNumeral(key: string): boolean {
  return key.endsWith('Ns') || key === 'token';
}
