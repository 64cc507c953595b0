// goNELI's side of a benchmark: groups of it on the same broker at the same time as ours, one for each setting.
import { type Ground, shortSessionMs } from '../kafka/ground.ts';
import { median, quantile } from '../measure/statistics.ts';
import type { Peer } from '../report/peer.ts';
import { type GoneliMember, startGoneli } from './member.ts';
import { goneliProgram, goneliRemark } from './program.ts';

/** A group of goNELI, members of which can be started. */
export interface GoneliGroup {
  readonly sessionMs: number;
  readonly topic: string;
  start(): GoneliMember;
}

/** What is measured of a group: one number after the other, for as long as it is asked. */
export interface GoneliMeasure {
  /** In words. */
  readonly what: string;
  readonly unit: string;
  values(group: GoneliGroup): AsyncIterable<number>;
}

/** What came of goNELI, and remarks where nothing did. */
export interface GoneliSide {
  readonly peers: readonly Peer[];
  readonly notes: readonly string[];
}

/** The shortest session that a stock broker allows. Milliseconds. */
const stockSessionMs = 6000;

/** Measures goNELI for as long as ours takes: every setting that the broker allows, once at least. What goes wrong there is a remark. */
export async function besideGoneli<T>(
  ground: Ground,
  measure: GoneliMeasure,
  ours: () => Promise<T>,
): Promise<{ readonly ours: T; readonly side: GoneliSide }> {
  const program = await goneliProgram();
  if (program.kind === 'missing') return { ours: await ours(), side: { peers: [], notes: [`goNELI is left out: ${program.why}`] } };
  let over = false;
  const measuring = ours().finally(() => {
    over = true;
  });
  const sessions = ground.allowsShortSessions ? [shortSessionMs, stockSessionMs] : [stockSessionMs];
  const [, ...sides] = await Promise.all([
    measuring.catch(() => undefined),
    ...sessions.map((sessionMs) => sideOf(ground, program.path, { sessionMs, measure, isOver: () => over })),
  ]);
  const side = { peers: sides.flatMap(({ peers }) => peers), notes: [goneliRemark, ...sides.flatMap(({ notes }) => notes)] };
  return { ours: await measuring, side };
}

interface Asked {
  readonly sessionMs: number;
  readonly measure: GoneliMeasure;
  readonly isOver: () => boolean;
}

async function sideOf(ground: Ground, program: string, { sessionMs, measure, isOver }: Asked): Promise<GoneliSide> {
  const { what, unit, values } = measure;
  const name = `goNELI, session ${sessionMs} ms, ${what}`;
  const seen: number[] = [];
  try {
    for await (const value of values(await groupOn(ground, program, sessionMs))) {
      seen.push(value);
      if (isOver()) break;
    }
    return { peers: [{ name, unit, runs: seen.length, p50: median(seen), p99: quantile(seen, 0.99) }], notes: [] };
  } catch (error) {
    return { peers: [], notes: [`${name}: could not be measured: ${String(error)}`] };
  }
}

async function groupOn(ground: Ground, program: string, sessionMs: number): Promise<GoneliGroup> {
  const { brokers } = ground;
  const topic = await ground.topic('goneli', 1);
  let born = 0;
  return {
    sessionMs,
    topic,
    start() {
      born += 1;
      return startGoneli({ program, brokers, topic, member: `g${born}`, sessionMs });
    },
  };
}
