import { type Child, startChild } from '@leadership/tools/processes';
import type { Endpoint } from '../kinesis/member.ts';
import type { TermMessage } from './term-log.ts';

/** The backend of a group, with everything that a member needs to join it. */
export type BackendConfig =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly directory: string }
  | { readonly kind: 'nerio'; readonly addresses: Readonly<Record<string, string>> }
  | { readonly kind: 'kinesis'; readonly table: string; readonly tables: Endpoint }
  | { readonly kind: 'kafka'; readonly brokers: readonly string[]; readonly topic: string };

/** The input of a member process. */
export interface ProcessInput {
  readonly backend: BackendConfig;
  /**
   * The members of this process. They join one after the other, in different turns of its event
   * loop.
   */
  readonly members: readonly string[];
  readonly partitions: number;
  readonly thresholdMs: number;
}

/** A message of a member process. */
export type ProcessMessage =
  /** The program is loaded; the members join at the command `begin`. */
  | { readonly kind: 'loaded' }
  | TermMessage
  /** The longest stall of the event loop since the members joined. */
  | { readonly kind: 'stalled'; readonly worstMs: number };

/** A command to a member process. */
export interface ProcessCommand {
  readonly kind: 'begin' | 'report';
}

/** A process with one or more members. */
export type MemberProcess = Child<ProcessMessage>;

/** Starts a member process. */
export function startProcess(input: ProcessInput): MemberProcess {
  return startChild<ProcessMessage>(new URL('../programs/settle-member.js', import.meta.url), {
    input,
  });
}
