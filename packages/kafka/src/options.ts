// The options of the Kafka backend: their types, defaults and checks.
import type { SourceOptions } from '@leadership/core';
import { check, checkTls, type LeadershipAddress } from '@leadership/core/adapter';
import { placeIn, show } from '@leadership/core/internal/engine';
import { defaultPort } from './connection/broker-address.ts';
import type { KafkaConfig, KafkaJsClient } from './kafkajs/client.ts';
import { type ClientChoice, isUsable, type UsableClient } from './platformatic/client-choice.ts';
import { platformatic } from './platformatic/platformatic.ts';
import type { TopicCheck } from './topic/topic.ts';

/** Options of {@link kafkaLeadership}. */
export interface KafkaOptions extends SourceOptions {
  /**
   * The connection to the brokers: a configuration of KafkaJS, or a KafkaJS client. Closing is
   * slower with a client that the caller created.
   */
  readonly kafka: KafkaJsClient;
  /**
   * The client library: KafkaJS, or `platformatic(…)` for `@platformatic/kafka`, which must be
   * installed too. With the latter, `kafka` accepts only `brokers`. Default `kafkajs`.
   */
  readonly client?: ClientChoice | 'kafkajs' | 'platformatic';
  /** The name of the group, whose members compete for the same roles. */
  readonly group: string;
  /**
   * The topic that stores the group. Any number of groups can share it. It is created if it does
   * not exist.
   */
  readonly topic: string;
  /**
   * `continuous` only. How long the consumer group waits for a silent member before it moves that
   * member's partitions, in milliseconds. Default 6000.
   */
  readonly sessionTimeoutMs?: number;
  /**
   * `exclusive`: there are never two leaders (M). `continuous`: two leaders are preferred to none
   * (I): a disconnected leader continues until another member may have been assigned its
   * partitions, so `thresholdMs` must exceed `sessionTimeoutMs`. Default `exclusive`.
   */
  readonly guarantee?: 'exclusive' | 'continuous';
  /**
   * `continuous` only. `owner`: only a leader's own beats prove its term. `all`: every member's
   * beats do (I3). Default `owner`.
   */
  readonly beats?: 'all' | 'owner';
  /**
   * The check of the topic's settings: `full` refuses and warns, `safety` only refuses, `off`
   * requests nothing. Default `full`.
   */
  readonly topicCheck?: 'full' | 'safety' | 'off';
}

/** The options that only Kafka has, complete and checked. */
export interface OwnOptions {
  readonly kafka: KafkaJsClient;
  /** The client that replaces KafkaJS, if any. */
  readonly choice: UsableClient | undefined;
  readonly guarantee: 'exclusive' | 'continuous';
  readonly beats: 'all' | 'owner';
  readonly topic: string;
  readonly sessionTimeoutMs: number;
  readonly topicCheck: TopicCheck;
}

/**
 * The shortest session that brokers allow by default (group.min.session.timeout.ms), in
 * milliseconds.
 */
const sessionTimeoutMsDefault = 6_000;
/**
 * The shortest session, in milliseconds. Heartbeats are sent at a third of it, so shorter sessions
 * would expire.
 */
const sessionTimeoutMsMin = 300;
/** The topic names that Kafka allows. */
const topicName = /^[a-zA-Z0-9._-]{1,249}$/;
const guarantees: readonly string[] = ['exclusive', 'continuous'];
const beatsOf: readonly string[] = ['all', 'owner'];
const whatKafkaIs =
  'kafka must be a configuration of KafkaJS, as in { brokers: ["host:9092"] }, or a client of it';
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
  check(isConfiguration(kafka), whatKafkaIs);
  const { brokers } = kafka as { readonly brokers?: unknown };
  check(
    'consumer' in kafka || typeof brokers === 'function' || isAddresses(brokers),
    'kafka.brokers must be a list of addresses, as in ["host:9092"], or a function that finds them',
  );
  const choice = choiceIn(options.client);
  if (choice !== undefined) checkBeside(kafka);
  else if (!('consumer' in kafka)) checkSecrets(kafka as KafkaConfig);
  check(
    Number.isSafeInteger(sessionTimeoutMs) && sessionTimeoutMs >= sessionTimeoutMsMin,
    `sessionTimeoutMs ${show(sessionTimeoutMs)} must be a whole number of milliseconds from ${sessionTimeoutMsMin} up`,
  );
  check(
    checks.includes(topicCheck),
    `topicCheck ${show(topicCheck)} must be one of ${checks.join(', ')}`,
  );
  check(
    guarantees.includes(guarantee),
    `guarantee ${show(guarantee)} must be one of ${guarantees.join(', ')}`,
  );
  check(beatsOf.includes(beats), `beats ${show(beats)} must be one of ${beatsOf.join(', ')}`);
  check(
    guarantee === 'continuous' || options.beats === undefined,
    `beats ${show(beats)} needs guarantee "continuous": a lease has none`,
  );
  check(
    guarantee === 'continuous' || options.sessionTimeoutMs === undefined,
    `sessionTimeoutMs ${show(sessionTimeoutMs)} needs guarantee "continuous": a lease has no consumer group`,
  );
  return { kafka, choice, topic, sessionTimeoutMs, topicCheck, guarantee, beats };
}

/**
 * Returns the brokers and the group that `kafka://HOST,HOST/GROUP` names.
 * @throws LeadershipError `invalid-options` if it names no brokers
 */
export function brokersIn(address: LeadershipAddress): {
  readonly brokers: string[];
  readonly group: string | undefined;
} {
  const { hosts, group } = placeIn(address, 'brokers', 'host:9092/billing?topic=leadership');
  const brokers = hosts.map((host) => (/:\d+$/.test(host) ? host : `${host}:${defaultPort}`));
  return { brokers, group };
}

/**
 * Returns the brokers of the URL, in the order of the option if it names the same ones. A KafkaJS
 * client is refused, because it does not reveal its brokers: it might belong to another cluster, and
 * two members with one URL would elect two leaders.
 * @throws LeadershipError `invalid-options` if the option is a client
 */
export function brokersBeside(
  brokers: string[],
  kafka: Partial<KafkaConfig> | KafkaJsClient | undefined,
): string[] {
  check(kafka === undefined || isConfiguration(kafka), whatKafkaIs);
  check(
    kafka === undefined || !('consumer' in kafka),
    'kafka is a ready client, but the URL names brokers: give its configuration instead, as in { ssl, sasl }, or call kafkaLeadership({ kafka, … })',
  );
  const named = kafka?.brokers;
  const isSame = Array.isArray(named) && [...named].sort().join() === [...brokers].sort().join();
  return isSame ? named : brokers;
}

/** Returns the chosen client; `undefined` for KafkaJS. */
function choiceIn(client: KafkaOptions['client']): UsableClient | undefined {
  if (client === undefined || client === 'kafkajs') return undefined;
  const choice = client === 'platformatic' ? platformatic() : client;
  check(
    isUsable(choice),
    `client ${show(client)} must be "kafkajs", "platformatic" or platformatic({ … })`,
  );
  return choice;
}

/**
 * Refuses options of KafkaJS for another client: a login that is silently ignored would be a
 * security risk.
 */
function checkBeside(kafka: KafkaJsClient): void {
  check(
    !('consumer' in kafka),
    'kafka is a client of KafkaJS, but client names another one: give its brokers, as in { brokers: ["host:9092"] }',
  );
  const other = Object.keys(kafka).find((name) => name !== 'brokers');
  check(
    other === undefined,
    `kafka.${other} is an option of KafkaJS, but client names another one: give tls and sasl to platformatic()`,
  );
}

/**
 * Refuses functions for secrets that KafkaJS reads as values: it would send the text of the function.
 */
function checkSecrets({ ssl, sasl }: KafkaConfig): void {
  const remedy = 'KafkaJS reads it once; use client: platformatic({ tls, sasl }), which calls it';
  check(typeof ssl !== 'function', `kafka.ssl is a function: ${remedy}`);
  checkTls('kafka.ssl', ssl, remedy);
  for (const [name, value] of Object.entries(sasl ?? {}))
    check(
      typeof value !== 'function' || /provider$/i.test(name),
      `kafka.sasl.${name} is a function: ${remedy}`,
    );
}

function isConfiguration<Kafka>(kafka: Kafka): kafka is Kafka & object {
  return typeof kafka === 'object' && kafka !== null && !Array.isArray(kafka);
}

function isAddresses(brokers: unknown): boolean {
  return (
    Array.isArray(brokers) &&
    brokers.length > 0 &&
    brokers.every((broker) => typeof broker === 'string' && broker !== '')
  );
}
