import type { Command, Note } from './note.ts';

/** A member as the demo starts it. */
export interface Part {
  readonly url: string;
  readonly member: string;
  readonly thresholdMs: number;
  /** Where members are called that speak with each other, by name. */
  readonly addresses?: Readonly<Record<string, string>>;
}

/** A member on stage, and what can be done to it. */
export interface Actor {
  readonly member: string;
  readonly pid: number;
  tell(command: Command): void;
  /** Ends it without a word to anyone, and returns the instant just before, on the host's monotonic clock. */
  crash(): bigint;
  /** Resolves once it is gone, with a sentence where nobody asked for that. */
  readonly gone: Promise<string | undefined>;
}

/** Brings a member on stage; its notes go to `tell`. */
export type StartActor = (part: Part, tell: (note: Note) => void) => Actor;

/** What every member of the demo is opened with: one role is all there is to see. */
export function optionsOf({ member, thresholdMs }: Part): { member: string; thresholdMs: number; partitions: number } {
  return { member, thresholdMs, partitions: 1 };
}
