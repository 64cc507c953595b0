import { type Child, startChild } from '../process/child.ts';
import type { ElectingTold } from '../process/electing.ts';

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

/** A member of a group on AWS, in a process of its own. */
export type Member = Child<ElectingTold>;

/** Starts one. */
export function startMember(input: MemberInput): Member {
  return startChild<ElectingTold>(new URL('../programs/kinesis-member.js', import.meta.url), { input });
}
