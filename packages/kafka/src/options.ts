import { LeadershipError, type SourceOptions } from '@leadership/core';
import type { LeadershipAddress } from '@leadership/core/backend';
import { defaultPort } from './broker-address.ts';
import type { KafkaConfig, KafkaOption } from './kafkajs/client.ts';
import { type ClientChoice, isUsable, platformatic, type UsableClient } from './platformatic/platformatic.ts';
import type { TopicCheck } from './topic.ts';

/** What {@link kafkaLeadership} takes. */
export interface KafkaOptions extends SourceOptions {
  /** How the brokers are reached: a configuration of KafkaJS, or a client of it that is ready. Closing is slower with a client made elsewhere. */
  readonly kafka: KafkaOption;
  /**
   * The client library: KafkaJS, or `platformatic(…)` for `@platformatic/kafka`, which is to be installed beside. With the latter `kafka` takes
   * `brokers` alone. Default `kafkajs`.
   */
  readonly client?: ClientChoice | 'kafkajs' | 'platformatic';
  /** The members that contend for the same roles. */
  readonly group: string;
  /** The topic that is the ledger, for as many groups as like. Made where there is none. */
  readonly topic: string;
  /** How long the consumer group waits for a member before it places its partitions elsewhere. Milliseconds. Default 6000. */
  readonly sessionTimeoutMs?: number;
  /**
   * `exclusive`: never two leaders (L). `continuous`: never leaderless rather than never two (I): a leader that is cut off goes on until
   * another may have been assigned its partitions, so `thresholdMs` must exceed `sessionTimeoutMs`. Default `exclusive`.
   */
  readonly guarantee?: 'exclusive' | 'continuous';
  /** `continuous` only. `owner`: only a leader's own beats prove it. `all`: every member's do (I3). Default `owner`. */
  readonly beats?: 'all' | 'owner';
  /** What is made of the topic's settings: `full` refuses and warns, `safety` only refuses, `off` asks for nothing. Default `full`. */
  readonly topicCheck?: TopicCheck;
}

/** The own options, complete and checked. */
export interface OwnOptions {
  readonly kafka: KafkaOption;
  /** The client in place of KafkaJS, if any. */
  readonly choice: UsableClient | undefined;
  readonly guarantee: 'exclusive' | 'continuous';
  readonly beats: 'all' | 'owner';
  readonly topic: string;
  readonly sessionTimeoutMs: number;
  readonly topicCheck: TopicCheck;
}

/** The shortest session that brokers allow unless told otherwise (group.min.session.timeout.ms). Milliseconds. */
const sessionTimeoutMsDefault = 6_000;
/** Shorter ones cannot be kept: heartbeats come every third of it. Milliseconds. */
const sessionTimeoutMsMin = 300;
/** What Kafka allows as the name of a topic. */
const topicName = /^[a-zA-Z0-9._-]{1,249}$/;
const guarantees: readonly string[] = ['exclusive', 'continuous'];
const beatsOf: readonly string[] = ['all', 'owner'];
const checks: readonly string[] = ['full', 'safety', 'off'] satisfies TopicCheck[];

/**
 * Checks the options that only Kafka has.
 * @throws LeadershipError `invalid-options`
 */
export function resolveOwn(options: Partial<KafkaOptions>): OwnOptions {
  const {
    kafka,
    topic,
    sessionTimeoutMs = sessionTimeoutMsDefault,
    topicCheck = 'full',
    guarantee = 'exclusive',
    beats = 'owner',
  } = options;
  check(
    typeof topic === 'string' && topicName.test(topic) && topic !== '.' && topic !== '..',
    `topic ${show(topic)} must be a topic's name: up to 249 letters, digits, ".", "_" and "-"`,
  );
  check(
    typeof kafka === 'object' && kafka !== null,
    'kafka must be a configuration of KafkaJS, as in { brokers: ["host:9092"] }, or a client of it',
  );
  const { brokers } = kafka as { readonly brokers?: unknown };
  check(
    'consumer' in kafka || typeof brokers === 'function' || isAddresses(brokers),
    'kafka.brokers must be a list of addresses, as in ["host:9092"], or a function that finds them',
  );
  const choice = choiceIn(options.client);
  if (choice !== undefined) checkBeside(kafka);
  check(
    Number.isSafeInteger(sessionTimeoutMs) && sessionTimeoutMs >= sessionTimeoutMsMin,
    `sessionTimeoutMs ${show(sessionTimeoutMs)} must be a whole number of milliseconds from ${sessionTimeoutMsMin} up`,
  );
  check(checks.includes(topicCheck), `topicCheck ${show(topicCheck)} must be one of ${checks.join(', ')}`);
  check(guarantees.includes(guarantee), `guarantee ${show(guarantee)} must be one of ${guarantees.join(', ')}`);
  check(beatsOf.includes(beats), `beats ${show(beats)} must be one of ${beatsOf.join(', ')}`);
  check(guarantee === 'continuous' || options.beats === undefined, `beats ${show(beats)} needs guarantee "continuous": a lease has none`);
  return { kafka, choice, topic, sessionTimeoutMs, topicCheck, guarantee, beats };
}

/**
 * The brokers and the group that `kafka://HOST,HOST/GROUP` names.
 * @throws LeadershipError `invalid-options` where it names none
 */
export function placeIn({ hosts, path }: LeadershipAddress): { readonly brokers: string[]; readonly group: string | undefined } {
  const brokers = hosts.map((host) => (/:\d+$/.test(host) ? host : `${host}:${defaultPort}`));
  check(brokers.length > 0, 'a kafka: URL must name brokers, as in kafka://host:9092/billing?topic=leadership');
  const group = path.replace(/^\//, '');
  return { brokers, group: group === '' ? undefined : group };
}

/**
 * The group that the URL's path names, and the one that its query or the options do, must be one.
 * @throws LeadershipError `invalid-options`
 */
export function checkGroup(named: string | undefined, group: string): void {
  check(named === undefined || named === group, `group is "${named}" in the URL's path, but "${group}" beside it`);
}

/**
 * The client's configuration with the brokers that the URL names. A ready client has brokers of its own, which nobody can ask it for: beside
 * a URL it might belong to another cluster, and two members of one URL would elect two leaders.
 * @throws LeadershipError `invalid-options` where the option names others
 */
export function kafkaBeside(brokers: string[], kafka: Partial<KafkaConfig> | KafkaOption | undefined): KafkaConfig {
  check(
    kafka === undefined || !('consumer' in kafka),
    'kafka is a ready client, but the URL names brokers: give its configuration instead, as in { ssl, sasl }, or call kafkaLeadership({ kafka, … })',
  );
  const named = kafka?.brokers;
  const isSame = Array.isArray(named) && [...named].sort().join() === [...brokers].sort().join();
  check(
    named === undefined || isSame,
    `kafka.brokers is ${Array.isArray(named) ? named.join() : 'a function'}, but the URL names ${brokers.join()}: name them in one place`,
  );
  return { ...kafka, brokers };
}

/** The client that is named, or made; `undefined` for KafkaJS. */
function choiceIn(client: KafkaOptions['client']): UsableClient | undefined {
  if (client === undefined || client === 'kafkajs') return undefined;
  const choice = client === 'platformatic' ? platformatic() : client;
  check(isUsable(choice), `client ${show(client)} must be "kafkajs", "platformatic" or platformatic({ … })`);
  return choice;
}

/** What is configured of KafkaJS has no meaning for another client: a login that is ignored must not look as if it were made. */
function checkBeside(kafka: KafkaOption): void {
  check(
    !('consumer' in kafka),
    'kafka is a client of KafkaJS, but client names another one: give its brokers, as in { brokers: ["host:9092"] }',
  );
  const other = Object.keys(kafka).find((name) => name !== 'brokers');
  check(other === undefined, `kafka.${other} is an option of KafkaJS, but client names another one: give tls and sasl to platformatic()`);
}

function isAddresses(brokers: unknown): boolean {
  return Array.isArray(brokers) && brokers.length > 0 && brokers.every((broker) => typeof broker === 'string' && broker !== '');
}

function show(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}

function check(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}
