import { type Child, startChild } from '@leadership/tools/processes';
import type { ElectionMessage } from '../process/member-messages.ts';

/** The input of a member process. */
export interface MemberInput {
  readonly directory: string;
  readonly member: string;
  readonly thresholdMs: number;
}

/**
 * The messages of a member process. Instants are nanoseconds on the host's monotonic clock, as
 * decimal strings.
 */
export type MemberReport =
  | ElectionMessage
  | { readonly kind: 'watching' }
  /**
   * The reply to `write`: when the write began, and when the finished file was about to be linked
   * into the directory.
   */
  | { readonly kind: 'wrote'; readonly beganNs: string; readonly placedNs: string }
  /** The watched directory has changed. */
  | { readonly kind: 'noticed'; readonly atNs: string };

/** The commands to a member process. */
export type MemberCommand =
  | { readonly kind: 'resign' }
  | { readonly kind: 'watch'; readonly directory: string }
  /** Writes a file with the durability of a lease record, without any protocol. */
  | { readonly kind: 'write'; readonly directory: string; readonly name: string };

/** A process that runs one member on the file backend. */
export type Member = Child<MemberReport>;

/** Starts a member process. */
export function startMember(input: MemberInput): Member {
  return startChild<MemberReport>(new URL('../programs/file-member.js', import.meta.url), {
    input,
  });
}
