// Which settings of a topic keep what a ledger needs: that nothing is lost that was acknowledged, and nothing removed that is current.

/** What a topic is for: a ledger, beats, or beats whose time stamps count. */
export type TopicUse = 'ledger' | 'beats' | 'stamped-beats';

/** A topic as its brokers describe it. */
export interface TopicFacts {
  /** Of the partition with the fewest. */
  readonly replicas: number;
  /** Setting → value; empty where this member may not ask. */
  readonly settings: ReadonlyMap<string, string>;
  /** The brokers' setting `auto.create.topics.enable`, where it is known. */
  readonly autoCreates?: boolean;
}

/** What is wrong with a topic, in words that begin with the setting. */
export interface TopicFaults {
  /** Breaks a promise: the topic is not used. */
  readonly refused: readonly string[];
  /** Weakens one, or will cost something one day. */
  readonly warned: readonly string[];
  /** The settings could not be read: what is wrong with them is not known. */
  readonly isUnchecked?: true;
}

/** Replicas of a topic that is made here, where there are as many brokers. */
const replicasWanted = 3;
/** A current record is renewed within T, and what stands still is carried up; the rest is for clocks that are wrong and members that are away. Milliseconds. */
const retentionMsMin = 3_600_000;
/** The chain of a group without members is left alone for ten of its T before others carry it up: twice that. */
const retentionThresholds = 20;
/** What stands still is carried up at this age. A quarter of the shortest retention: of what other groups left, half of it. Milliseconds. */
export const oldMs: number = retentionMsMin / 4;
/** Old records are removed by the segment: the smaller, the sooner the disk has its space back. Bytes. */
const segmentBytes = 16_777_216;

/** Beats are of no use once T has passed. Kept for people to look at; segments are closed that often, so that they can go. Milliseconds. */
const beatsRetentionMs = 3_600_000;
const beatsSegmentMs = 600_000;

/** The settings that are checked. */
export const checkedSettings = [
  'cleanup.policy',
  'compression.type',
  'message.timestamp.type',
  'min.insync.replicas',
  'retention.bytes',
  'retention.ms',
  'unclean.leader.election.enable',
] as const;

/** What is said of a topic whose settings could not be read, and why. */
export function unchecked(why: string): TopicFaults {
  return { refused: [], warned: [`its settings are not checked yet, which is tried again: ${why}`], isUnchecked: true };
}

/** The settings a topic is made with. */
export function settingsFor(replicas: number, use: TopicUse): Readonly<Record<string, string>> {
  return {
    'cleanup.policy': 'delete',
    'retention.ms': String(use === 'ledger' ? -1 : beatsRetentionMs),
    ...(use !== 'ledger' && { 'segment.ms': String(beatsSegmentMs) }),
    'message.timestamp.type': 'LogAppendTime',
    // A record that was compressed in a way that members cannot read would stop all of them.
    'compression.type': 'uncompressed',
    'unclean.leader.election.enable': 'false',
    'segment.bytes': String(segmentBytes),
    ...(replicas >= replicasWanted && { 'min.insync.replicas': '2' }),
  };
}

/** How many replicas a new topic gets. */
export function replicasFor(brokers: number): number {
  return Math.max(1, Math.min(brokers, replicasWanted));
}

/** What is wrong with a topic, for members with that T. That it has enough partitions is seen when it is read. */
export function faultsOf(facts: TopicFacts, use: TopicUse, thresholdMs: number): TopicFaults {
  if (use === 'ledger')
    return {
      refused: [...compaction(facts), ...refusals(facts, retentionMsFor(thresholdMs))],
      warned: [...warnings(facts), ...strangers(facts)],
    };
  return { refused: [...compaction(facts), ...(use === 'beats' ? [] : unstamped(facts))], warned: [...strangers(facts)] };
}

function* compaction({ settings }: TopicFacts): Generator<string> {
  const cleanup = settings.get('cleanup.policy') ?? 'delete';
  if (cleanup.includes('compact')) yield `cleanup.policy is ${cleanup}: compaction removes current records; set it to delete`;
}

function* unstamped({ settings }: TopicFacts): Generator<string> {
  const type = settings.get('message.timestamp.type') ?? 'LogAppendTime';
  if (type !== 'LogAppendTime') {
    yield `message.timestamp.type is ${type}: members stamp their beats themselves, and their clocks are not to be believed; set it to LogAppendTime, or beats to "owner"`;
  }
}

/** The shortest retention of a ledger's topic. Milliseconds. */
function retentionMsFor(thresholdMs: number): number {
  return Math.max(retentionMsMin, retentionThresholds * thresholdMs);
}

function* refusals({ settings }: TopicFacts, needsMs: number): Generator<string> {
  if (settings.get('unclean.leader.election.enable') === 'true') {
    yield 'unclean.leader.election.enable is true: a replica that lags may lead, and what was acknowledged is lost; set it to false';
  }
  const retentionMs = Number(settings.get('retention.ms') ?? -1);
  if (retentionMs >= 0 && retentionMs < needsMs) {
    yield `retention.ms is ${retentionMs}: less than ${needsMs} may remove current records; set it to -1`;
  }
  const retentionBytes = Number(settings.get('retention.bytes') ?? -1);
  if (retentionBytes >= 0 && retentionBytes < segmentBytes) {
    yield `retention.bytes is ${retentionBytes}: less than ${segmentBytes} may remove current records; set it to -1`;
  }
}

function* warnings({ replicas, settings }: TopicFacts): Generator<string> {
  if (replicas < 2)
    yield 'it has one replica: with its broker the topic is away, and a broken disk or a power cut may lose what was acknowledged';
  else if (settings.get('min.insync.replicas') === '1') {
    yield 'min.insync.replicas is 1: a power cut may lose what was acknowledged; set it to 2';
  }
}

/** What others may do to a topic. */
function* strangers({ settings, autoCreates }: TopicFacts): Generator<string> {
  if (settings.size === 0) yield 'its settings could not be checked: grant DescribeConfigs on it';
  if (settings.size > 0 && settings.get('compression.type') !== 'uncompressed') {
    yield `compression.type is ${settings.get('compression.type')}: a record compressed in a way KafkaJS cannot read would stop every member; set it to uncompressed`;
  }
  if (autoCreates)
    yield 'auto.create.topics.enable is true at the brokers: whoever asks for the topic while it is away makes one with other settings';
}
