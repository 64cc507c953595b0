import { type Child, startChild } from '../process/child.ts';
import type { ElectingTold } from '../process/electing.ts';

/** How a member process is started. */
export interface MemberInput {
  /** Where each member listens, by name: these are the members. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

/** What a member process says. */
export type MemberTold =
  | ElectingTold
  /** So many frames it has sent since it started, and so much it leads. */
  | { readonly kind: 'sent'; readonly frames: number; readonly leads: number };

/** What a member process is told. `resign` is about partition 0. */
export interface MemberCommand {
  readonly kind: 'resign' | 'sent';
}

/** A member in a process of its own. */
export type Member = Child<MemberTold>;

/** Starts one. */
export function startMember(input: MemberInput): Member {
  return startChild<MemberTold>(new URL('../programs/nerio-member.js', import.meta.url), { input });
}
