// goNELI on the same broker, with which the benchmarks compare: one group per session timeout. The
// program is built from bench/peers/goneli, with the modules of its go.sum. goNELI 0.4.3 pins a Kafka
// client from 2020 whose fetches Kafka 4 rejects, so no member would ever lead. The module therefore
// requires confluent-kafka-go 1.8.2, the latest 1.x version that works.
import { setTimeout as pause } from 'node:timers/promises';
import { type SpawnedMember, spawnProgram } from '@leadership/testkit/faults';
import type { Peers } from '../backends/backend.ts';
import type { OpenKafka } from '../backends/kafka.ts';
import { type Beside, beside } from '../election/beside.ts';
import { leadersOf } from '../election/leaders.ts';
import { soleLeader } from '../election/members.ts';
import { goProgram } from './go-program.ts';

/**
 * The shortest session timeout with which goNELI kept its leader, in milliseconds. By default, a
 * broker allows at least 6,000.
 */
export const shortSessionMs = 1500;
/** The shortest session timeout that a broker allows by default, in milliseconds. */
const stockSessionMs = 6000;
/**
 * The time that a member needs to start and to find the coordinator on a busy machine, in
 * milliseconds.
 */
const startMs = 1500;
/** The number of members before another one joins. */
const membersBeforeJoin = 4;

const remark =
  'goNELI is 0.4.3 with confluent-kafka-go raised to 1.8.2, heartbeat.interval.ms a third of the session, other settings at their defaults';

/** goNELI with one session timeout. */
interface Session {
  readonly name: string;
  start(topic: string, member: string): Promise<SpawnedMember>;
  /** Waits until a new member is part of its group. */
  settled(): Promise<void>;
}

/** A group of one session, whose topic exists. */
export interface GoneliGroup {
  readonly topic: string;
  start(): Promise<SpawnedMember>;
  settled(): Promise<void>;
}

/** Returns the elections with each session timeout that the broker allows. */
export async function goneliOn(open: OpenKafka): Promise<Peers> {
  const { sessions, notes } = await sessionsOn(open);
  const topics = new Map<string, Promise<string>>();
  const topicOf = (group: string): Promise<string> => {
    const topic = topics.get(group) ?? open.createdTopic(`goneli-${group}`);
    topics.set(group, topic);
    return topic;
  };
  const peers = sessions.map(({ name, start, settled }, index) => ({
    name,
    rest: settled,
    closes: true,
    start: async ({ group, member }: { readonly group: string; readonly member: string }) =>
      start(await topicOf(`${group}-${index}`), member),
  }));
  return { peers, notes };
}

/** What to measure of a goNELI group. */
export interface GoneliMeasure {
  readonly what: string;
  readonly unit: string;
  values(group: GoneliGroup): AsyncIterable<number>;
}

/** Runs `ours`, and beside it this measurement of a group with each session timeout. */
export async function besideGoneli<T>(
  open: OpenKafka,
  { what, unit, values }: GoneliMeasure,
  ours: () => Promise<T>,
): Promise<Beside<T>> {
  const { sessions, notes } = await sessionsOn(open);
  const others = sessions.map(({ name, start, settled }, index) => ({
    name: `${name}, ${what}`,
    unit,
    async *values() {
      const topic = await open.createdTopic(`goneli-${unit.replaceAll(/\W/g, '-')}-${index}`);
      let count = 0;
      const startNext = (): Promise<SpawnedMember> => {
        count += 1;
        return start(topic, `g${count}`);
      };
      yield* values({ topic, start: startNext, settled });
    },
  }));
  const measured = await beside(ours, others);
  return { ...measured, notes: [...notes, ...measured.notes] };
}

async function sessionsOn(
  open: OpenKafka,
): Promise<{ readonly sessions: readonly Session[]; readonly notes: readonly string[] }> {
  const program = await goProgram('goneli');
  if (program.kind === 'missing')
    return { sessions: [], notes: [`goNELI is left out: ${program.why}`] };
  const allowed = open.allowsShortSessions ? [shortSessionMs, stockSessionMs] : [stockSessionMs];
  const sessions = allowed.map((sessionMs) => {
    // `heartbeat.interval.ms`, as Kafka's documentation recommends. A member learns of a rebalance up
    // to one interval late.
    const beatMs = Math.floor(sessionMs / 3);
    return {
      name: `goNELI, session ${sessionMs} ms`,
      start: (topic: string, member: string) =>
        spawnProgram([
          ...([program.path, '-brokers', open.brokers.join()] as const),
          ...['-group', topic, '-topic', topic, '-name', member],
          ...['-session', `${sessionMs}ms`, '-beat', `${beatMs}ms`],
        ]),
      settled: () => pause(startMs + beatMs * (1.5 + Math.random())),
    };
  });
  return { sessions, notes: [remark] };
}

/**
 * Measures how long the group has no leader because a fifth member joins. The fifth member leaves
 * again after each value.
 */
export const goneliJoins: GoneliMeasure = {
  what: 'leaderless because a member joins',
  unit: 'ms',
  async *values({ start, settled }) {
    const present: SpawnedMember[] = [];
    const join = async (): Promise<SpawnedMember> => {
      const member = await start();
      present.push(member);
      await settled();
      return member;
    };
    try {
      while (present.length < membersBeforeJoin) await join();
      for (;;) {
        const sinceNs = process.hrtime.bigint();
        const newcomer = await join();
        const { gapsMs } = leadersOf(present, sinceNs);
        yield gapsMs.reduce((sum, ms) => sum + ms, 0);
        newcomer.close().catch(() => undefined);
        await settled();
        await newcomer.kill();
        present.pop();
      }
    } finally {
      await Promise.all(present.map((member) => member.kill()));
    }
  },
};

/** Measures the leader of a group of two members again and again. */
export async function* ofGoneliLeader(
  { start, settled }: GoneliGroup,
  measure: (leader: SpawnedMember) => Promise<number>,
): AsyncGenerator<number, void> {
  const pair: SpawnedMember[] = [];
  try {
    while (pair.length < 2) {
      pair.push(await start());
      await settled();
    }
    for (;;) {
      const leader = soleLeader(pair);
      if (leader) yield await measure(leader);
      else await settled();
    }
  } finally {
    await Promise.all(pair.map((member) => member.kill()));
  }
}
