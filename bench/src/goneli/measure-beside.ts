// Measures goNELI for a benchmark: one goNELI group per session timeout, on the same broker and at
// the same time as ours.
import { type Environment, shortSessionMs } from '../kafka/environment.ts';
import { median, quantile } from '../measure/statistics.ts';
import type { Comparison } from '../report/comparison.ts';
import { type GoneliMember, startGoneli } from './member.ts';
import { goneliProgram, goneliRemark } from './program.ts';

/** A goNELI group, in which members can be started. */
export interface GoneliGroup {
  readonly sessionMs: number;
  readonly topic: string;
  start(): GoneliMember;
}

/** A measurement of a goNELI group. It yields values until the consumer stops. */
export interface GoneliMeasure {
  /** A description for the table. */
  readonly what: string;
  readonly unit: string;
  values(group: GoneliGroup): AsyncIterable<number>;
}

/** The results of goNELI, and remarks about measurements that failed. */
export interface GoneliResults {
  readonly peers: readonly Comparison[];
  readonly notes: readonly string[];
}

/** The shortest session timeout that a broker allows by default, in milliseconds. */
const stockSessionMs = 6000;

/**
 * Runs `ours`, and measures goNELI at the same time with each session timeout that the broker
 * allows, at least once. A failure of goNELI becomes a remark.
 */
export async function measureBesideGoneli<T>(
  environment: Environment,
  measure: GoneliMeasure,
  ours: () => Promise<T>,
): Promise<{ readonly ours: T; readonly side: GoneliResults }> {
  const program = await goneliProgram();
  if (program.kind === 'missing')
    return {
      ours: await ours(),
      side: { peers: [], notes: [`goNELI is left out: ${program.why}`] },
    };
  let over = false;
  const measuring = ours().finally(() => {
    over = true;
  });
  const sessions = environment.allowsShortSessions
    ? [shortSessionMs, stockSessionMs]
    : [stockSessionMs];
  const [, ...sides] = await Promise.all([
    measuring.catch(() => undefined),
    ...sessions.map((sessionMs) =>
      sideOf(environment, program.path, { sessionMs, measure, isOver: () => over }),
    ),
  ]);
  const side = {
    peers: sides.flatMap(({ peers }) => peers),
    notes: [goneliRemark, ...sides.flatMap(({ notes }) => notes)],
  };
  return { ours: await measuring, side };
}

interface Asked {
  readonly sessionMs: number;
  readonly measure: GoneliMeasure;
  readonly isOver: () => boolean;
}

async function sideOf(
  environment: Environment,
  program: string,
  { sessionMs, measure, isOver }: Asked,
): Promise<GoneliResults> {
  const { what, unit, values } = measure;
  const name = `goNELI, session ${sessionMs} ms, ${what}`;
  const seen: number[] = [];
  try {
    for await (const value of values(await groupOn(environment, program, sessionMs))) {
      seen.push(value);
      if (isOver()) break;
    }
    return {
      peers: [{ name, unit, runs: seen.length, p50: median(seen), p99: quantile(seen, 0.99) }],
      notes: [],
    };
  } catch (error) {
    return { peers: [], notes: [`${name}: could not be measured: ${String(error)}`] };
  }
}

async function groupOn(
  environment: Environment,
  program: string,
  sessionMs: number,
): Promise<GoneliGroup> {
  const { brokers } = environment;
  const topic = await environment.topic('goneli', 1);
  let started = 0;
  return {
    sessionMs,
    topic,
    start() {
      started += 1;
      return startGoneli({ program, brokers, topic, member: `g${started}`, sessionMs });
    },
  };
}
