import { type Child, startChild } from '../process/child.ts';
import type { ElectingTold } from '../process/electing.ts';

/** How a member process is started. */
export interface MemberInput {
  readonly directory: string;
  readonly member: string;
  readonly thresholdMs: number;
}

/** What a member process says. Instants are nanoseconds on the host's monotonic clock, as text. */
export type MemberTold =
  | ElectingTold
  | { readonly kind: 'watching' }
  /** It was told to write, and has: when it began, and when the file was about to be put in place. */
  | { readonly kind: 'wrote'; readonly beganNs: string; readonly placedNs: string }
  /** The directory under watch has stirred. */
  | { readonly kind: 'noticed'; readonly atNs: string };

/** What a member process is told. */
export type MemberCommand =
  | { readonly kind: 'resign' }
  | { readonly kind: 'watch'; readonly directory: string }
  /** Writes a file as durably as a version is written, without any protocol. */
  | { readonly kind: 'write'; readonly directory: string; readonly name: string };

/** A member of a group in a directory, in a process of its own. */
export type Member = Child<MemberTold>;

/** Starts one. */
export function startMember(input: MemberInput): Member {
  return startChild<MemberTold>(new URL('../programs/file-member.js', import.meta.url), { input });
}
