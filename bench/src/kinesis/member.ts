import { type Child, startChild } from '@leadership/tools/processes';
import type { ElectionMessage } from '../process/member-messages.ts';

/** The address of a service and its credentials. */
export interface Endpoint {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** The input of a member process. */
export interface MemberInput {
  readonly table: string;
  /** The stream over which members notify each other. Default: none. */
  readonly stream?: string;
  readonly tables: Endpoint;
  readonly streams: Endpoint;
  readonly group: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

/** A process that runs one member on AWS. */
export type Member = Child<ElectionMessage>;

/** Starts a member process. */
export function startMember(input: MemberInput): Member {
  return startChild<ElectionMessage>(new URL('../programs/kinesis-member.js', import.meta.url), {
    input,
  });
}
