// Checks a topic's settings. Leases need that no acknowledged record is lost, and that no record is
// removed before a later copy has its rows.

/** The use of a topic: leases, beats, or beats whose time stamps count. */
export type TopicUse = 'lease' | 'beats' | 'stamped-beats';

/** A topic as its brokers describe it. */
export interface TopicFacts {
  /** The number of replicas of the partition with the fewest. */
  readonly replicas: number;
  /** The values by setting; empty if this member may not read them. */
  readonly settings: ReadonlyMap<string, string>;
  /** The brokers' setting `auto.create.topics.enable`, if known. */
  readonly autoCreates?: boolean;
}

/** The faults of a topic, as sentences that start with the setting. */
export interface TopicFaults {
  /** The faults that break a guarantee: the topic is not used. */
  readonly refused: readonly string[];
  /** The faults that weaken a guarantee, or may cause a failure later. */
  readonly warned: readonly string[];
  /** The settings could not be read, so their faults are unknown. */
  readonly isUnchecked?: true;
}

/** The number of replicas of a new topic, if there are enough brokers. */
const replicasWanted = 3;
/**
 * The shortest retention of a topic of leases, in milliseconds. A member that leads appends a copy
 * of all rows every 7.5 to 15 minutes. The rest is a reserve for wrong clocks and stopped members.
 */
const retentionMsMin = 3_600_000;
/**
 * The shortest retention as a multiple of T. A copy comes with an entry that changes a row, and a
 * member that leads renews every T/3; the rest is a reserve for members that do not reach the topic.
 */
const retentionThresholds = 20;
/**
 * The age at which the last copy is followed by another one at the latest while a member leads, in
 * milliseconds: a quarter of the shortest retention.
 */
export const oldMs: number = retentionMsMin / 4;
/**
 * The segment size in bytes. Brokers remove whole segments, so small segments free disk space
 * sooner.
 */
const segmentBytes = 16_777_216;

/**
 * The greatest record that a topic of leases must take, in bytes: a part of a copy of the rows has up to
 * 200,000 characters of three bytes. Brokers take 1,048,588 by default.
 */
const messageBytesMin = 1_000_000;

/**
 * The retention of beats, in milliseconds. Beats expire after T; the rest is for inspection. Only
 * closed segments can be removed.
 */
const beatsRetentionMs = 3_600_000;
const beatsSegmentMs = 600_000;

/** The settings that are checked. */
export const checkedSettings = [
  'cleanup.policy',
  'compression.type',
  'max.message.bytes',
  'message.timestamp.type',
  'min.insync.replicas',
  'retention.bytes',
  'retention.ms',
  'unclean.leader.election.enable',
] as const;

/** Returns the warning for a topic whose settings could not be read. */
export function unchecked(why: string): TopicFaults {
  return {
    refused: [],
    warned: [`its settings are not checked yet, which is tried again: ${why}`],
    isUnchecked: true,
  };
}

/** Returns the settings of a new topic. */
export function settingsFor(replicas: number, use: TopicUse): Readonly<Record<string, string>> {
  return {
    'cleanup.policy': 'delete',
    'retention.ms': String(use === 'lease' ? -1 : beatsRetentionMs),
    ...(use === 'lease' && { 'max.message.bytes': String(messageBytesMin) }),
    ...(use !== 'lease' && { 'segment.ms': String(beatsSegmentMs) }),
    'message.timestamp.type': 'LogAppendTime',
    // A record with a compression that members cannot read would stop all of them.
    'compression.type': 'uncompressed',
    'unclean.leader.election.enable': 'false',
    'segment.bytes': String(segmentBytes),
    ...(replicas >= replicasWanted && { 'min.insync.replicas': '2' }),
  };
}

/** Returns the number of replicas of a new topic. */
export function replicasFor(brokers: number): number {
  return Math.max(1, Math.min(brokers, replicasWanted));
}

/**
 * Returns the faults of a topic for members with this T. The reader checks the number of
 * partitions.
 */
export function faultsOf(facts: TopicFacts, use: TopicUse, thresholdMs: number): TopicFaults {
  if (use === 'lease')
    return {
      refused: [...compaction(facts), ...refusals(facts, retentionMsFor(thresholdMs))],
      warned: [...warnings(facts), ...strangers(facts)],
    };
  return {
    refused: [...compaction(facts), ...(use === 'beats' ? [] : unstamped(facts))],
    warned: [...strangers(facts)],
  };
}

function* compaction({ settings }: TopicFacts): Generator<string> {
  const cleanup = settings.get('cleanup.policy') ?? 'delete';
  if (cleanup.includes('compact'))
    yield `cleanup.policy is ${cleanup}: compaction removes current records; set it to delete`;
}

function* unstamped({ settings }: TopicFacts): Generator<string> {
  const type = settings.get('message.timestamp.type') ?? 'LogAppendTime';
  if (type !== 'LogAppendTime') {
    yield `message.timestamp.type is ${type}: members stamp their beats themselves, and their clocks cannot be trusted; set it to LogAppendTime, or beats to "owner"`;
  }
}

/** Returns the shortest safe retention of a topic of leases, in milliseconds. */
function retentionMsFor(thresholdMs: number): number {
  return Math.max(retentionMsMin, retentionThresholds * thresholdMs);
}

function* refusals({ settings }: TopicFacts, needsMs: number): Generator<string> {
  if (settings.get('unclean.leader.election.enable') === 'true') {
    yield 'unclean.leader.election.enable is true: a lagging replica may become the leader, which loses acknowledged records; set it to false';
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
    yield 'it has one replica: the topic is unavailable without its broker, and a broken disk or a power cut may lose acknowledged records';
  else if (settings.get('min.insync.replicas') === '1') {
    yield 'min.insync.replicas is 1: a power cut may lose acknowledged records; set it to 2';
  }
  const messageBytes = Number(settings.get('max.message.bytes') ?? messageBytesMin);
  if (messageBytes < messageBytesMin)
    yield `max.message.bytes is ${messageBytes}: less than ${messageBytesMin} may refuse a copy of the rows, without which no old record is removed; set it to ${messageBytesMin}`;
}

/** Yields the harm that other clients could do to the topic. */
function* strangers({ settings, autoCreates }: TopicFacts): Generator<string> {
  if (settings.size === 0) yield 'its settings could not be checked: grant DescribeConfigs on it';
  if (settings.size > 0 && settings.get('compression.type') !== 'uncompressed') {
    yield `compression.type is ${settings.get('compression.type')}: a record compressed in a way KafkaJS cannot read would stop every member; set it to uncompressed`;
  }
  if (autoCreates)
    yield 'auto.create.topics.enable is true at the brokers: any client that requests the topic while it is deleted creates one with other settings';
}
