import type { Way } from '../kinesis/member.ts';
import { type Child, startChild } from '../process/child.ts';
import type { TermNews } from './account.ts';

/** Where a group elects: what a member needs to know of it. */
export type Place =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly directory: string }
  | { readonly kind: 'nerio'; readonly addresses: Readonly<Record<string, string>> }
  | { readonly kind: 'kinesis'; readonly table: string; readonly tables: Way }
  | { readonly kind: 'kafka'; readonly brokers: readonly string[]; readonly topic: string };

/** How a process is started. */
export interface ProcessInput {
  readonly place: Place;
  /** The members that live in it: they join one after the other, in different turns of its event loop. */
  readonly members: readonly string[];
  readonly partitions: number;
  readonly thresholdMs: number;
}

/** What a process says. */
export type ProcessTold =
  /** Its program is loaded; the members join once it is told to begin. */
  | { readonly kind: 'loaded' }
  | TermNews
  /** For how long its event loop stood still at worst since the members joined. */
  | { readonly kind: 'stalled'; readonly worstMs: number };

/** What a process is told. */
export interface ProcessCommand {
  readonly kind: 'begin' | 'report';
}

/** A process in which members live. */
export type MemberProcess = Child<ProcessTold>;

/** Starts one. */
export function startProcess(input: ProcessInput): MemberProcess {
  return startChild<ProcessTold>(new URL('../programs/settle-member.js', import.meta.url), { input });
}
