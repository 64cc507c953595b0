// Who stops standing for election says so on the topic too, before it lets go of what it holds: the coordinator tells the others a
// heartbeat later, and until then they would share out what was let go of among too many.

/** One stay of a member in the group has ended. */
export interface Farewell {
  readonly incarnation: string;
  /** Which of its stays: one may follow the other. */
  readonly stay: number;
}

/** A farewell as it travels: nested, so that no release takes it for a record that takes effect (L1). */
export function formatFarewell(group: string, { incarnation, stay }: Farewell): string {
  return JSON.stringify({ group, farewell: { incarnation, stay } });
}

/** The farewell in plain data, or `undefined` where it is none. */
export function toFarewell(data: unknown): Farewell | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { incarnation, stay } = data as Readonly<Record<string, unknown>>;
  return typeof incarnation === 'string' && typeof stay === 'number' && Number.isSafeInteger(stay) ? { incarnation, stay } : undefined;
}
