import { connect, type Socket } from 'node:net';
import { monotonicClock, type Rows } from '@leadership/core/adapter';
import type { RowsStore } from '@leadership/testkit';
import { eventually, recordingHost } from '@leadership/testkit/adapter';
import { type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import type { KafkaClient } from '../../src/kafka-client.ts';
import { kafkajsClient } from '../../src/kafkajs/kafkajs-client.ts';
import type { MemberContext } from '../../src/member-context.ts';
import { platformaticWith } from '../../src/platformatic/platformatic-client.ts';
import { kafkaRows, type RowsPace } from '../../src/rows.ts';
import { MemberTopic } from '../../src/topic/member-topic.ts';
import type { ClientName } from './clients.ts';
import { type FrameFaults, frameFaults } from './frame-faults.ts';
import { insyncOf, makeTopic } from './topics.ts';

/** The store under test, and what only tests of Kafka need. */
export interface KafkaStore extends RowsStore {
  readonly kafka: KafkaCluster;
}

/** Copies and cuts, often enough that each check sees some. */
const often: RowsPace = { copyEvery: 30 };

/** Returns the member for whom rows are opened. */
export function memberOf(
  client: KafkaClient,
  { topic = 'rows', ...own }: Partial<MemberContext> & Pick<MemberContext, 'group'>,
): MemberContext {
  return {
    client,
    topic,
    sessionTimeoutMs: 6000,
    topicCheck: 'safety',
    partitions: 1,
    thresholdMs: 3000,
    clock: monotonicClock,
    host: recordingHost('m'),
    ...own,
  };
}

/** A broker on a busy machine may be silent for seconds, which is a fault only beside a shorter T. */
const patientMs = 6_000;

/** Opens rows as a member does. */
export function openRows(
  client: KafkaClient,
  own: Parameters<typeof memberOf>[1],
  pace: RowsPace = often,
): Rows {
  return kafkaRows(new MemberTopic(memberOf(client, own)), 0, pace);
}

/** Returns a client whose connections have faults of their own. */
function faultyClient(name: ClientName, kafka: KafkaCluster, faults: FrameFaults): KafkaClient {
  const brokers = [...kafka.bootstrap];
  const opened = (socket: Socket): void => faults.watch(socket);
  if (name === 'platformatic') return platformaticWith({ opened }).clientOf(brokers);
  return kafkajsClient({
    brokers,
    socketFactory({ host, port, onConnect }) {
      const socket = connect({ host, port, noDelay: true }, onConnect);
      opened(socket);
      return socket;
    },
  });
}

/**
 * The checks with many members. Each has a topic of its own: in a shared one, every member reads what
 * the members of all groups have written.
 */
const ofManyMembers = /^(one-winner|no-row-is-missed)-/;

/** One broker, with a topic of that client that the groups of the other checks share. Disposing keeps the broker. */
export function storeOn(kafka: KafkaCluster, client: ClientName): KafkaStore {
  const faultsOf = new Map<Rows, FrameFaults>();
  const open = (group: string, topic = `rows-${client}`): Rows => {
    const faults = frameFaults();
    const place = { group, thresholdMs: patientMs, topic };
    const rows = openRows(faultyClient(client, kafka, faults), place);
    faultsOf.set(rows, faults);
    return rows;
  };
  let missing = 0;
  return {
    name: `${kafka.name}, ${client}`,
    kafka,
    notifies: true,
    holdsNul: true,
    cannot: {
      'hand-edits': 'a person who appends an entry does so as a member does',
      'open-transactions': 'an entry is one step',
      'locked-rows': 'a log has no locks',
      'lagging-reads': 'every read goes to the leader of the partition',
      'restored-backup': 'the log of a single broker that goes back keeps its epoch',
      'promoted-replica': 'there is one broker: rows-on-three.soak.test.ts uses three',
    },
    openRows: (group) => {
      const [ownTopic] = ofManyMembers.exec(group) ?? [];
      return open(group, ownTopic && `rows-${group}`);
    },
    elsewhere() {
      missing += 1;
      const topic = `missing-${client}-${missing}`;
      return (group) => open(group, topic);
    },
    loseReplies(rows) {
      const faults = faultsOf.get(rows);
      if (faults === undefined) throw new Error('unknown rows');
      return faults.inject('deaf');
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Brokers miss one another sooner than stock ones (9 s), which costs a test as much time. */
const replicated = {
  brokers: 3,
  proxied: false,
  faults: true,
  config: { 'broker.session.timeout.ms': 3000, 'broker.heartbeat.interval.ms': 500 },
} as const;

/** The options of the brokers of {@link openReplicated}. */
export const replicatedBrokers: typeof replicated = replicated;

/** Three brokers, two of which have the topic. The second becomes its leader without the newest records. */
export async function openReplicated(client: ClientName): Promise<KafkaStore> {
  const kafka = await startKafka(replicated);
  const topic = 'rows';
  await makeTopic(kafka, {
    topic,
    replicaAssignment: [{ partition: 0, replicas: [1, 2] }],
    configEntries: [
      { name: 'min.insync.replicas', value: '1' },
      { name: 'unclean.leader.election.enable', value: 'true' },
    ],
  });
  const brokers = [...kafka.bootstrap];
  const opened: Rows[] = [];
  return {
    name: `${kafka.name}, ${client}`,
    kafka,
    openRows(group) {
      const from =
        client === 'platformatic'
          ? platformaticWith({}).clientOf(brokers)
          : kafkajsClient({ brokers });
      const rows = openRows(from, { group, topic, topicCheck: 'off' });
      opened.push(rows);
      return rows;
    },
    async promote(during) {
      kafka.broker(2).pause();
      await eventually(
        'one replica is in sync',
        async () => (await insyncOf(kafka, topic))[0]?.join() === '1',
      );
      await during();
      await kafka.broker(1).kill();
      kafka.broker(2).resume();
      for (const rows of opened) await eventually('the other replica answers', () => answers(rows));
    },
    [Symbol.asyncDispose]: () => kafka[Symbol.asyncDispose](),
  };
}

/** Resolves with whether the rows can be read. */
async function answers(rows: Rows): Promise<boolean> {
  const reading = rows.exchange({ changes: [], since: undefined }, AbortSignal.timeout(5000));
  return reading.then(
    () => true,
    () => false,
  );
}
