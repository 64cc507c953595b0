import { type Child, startChild } from '../process/child.ts';

/** How a service is reached. */
export interface Way {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** How a member process is started. */
export interface MemberInput {
  readonly table: string;
  /** Over which members wake one another. Default: none. */
  readonly stream?: string;
  readonly tables: Way;
  readonly streams: Way;
  readonly group: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

/** What a member process says. Instants are nanoseconds on the host's monotonic clock, as text. */
export type MemberTold =
  | { readonly kind: 'ready' }
  /** It leads that partition from now on. */
  | { readonly kind: 'leading'; readonly partition: number; readonly atNs: string }
  /** It leads that partition no more. */
  | { readonly kind: 'fenced' | 'waiting'; readonly partition: number; readonly atNs: string }
  /** It was told to resign, and begins. */
  | { readonly kind: 'resigning'; readonly atNs: string };

/** What a member process is told: to resign from partition 0. */
export interface MemberCommand {
  readonly kind: 'resign';
}

/** A member of a group on AWS, in a process of its own. */
export type Member = Child<MemberTold>;

/** Starts one. */
export function startMember(input: MemberInput): Member {
  return startChild<MemberTold>(new URL('../programs/kinesis-member.js', import.meta.url), { input });
}
