// A child process of the Kafka benchmarks: on each command, it produces a record and waits until it
// has read the record back.
import { connect } from 'node:net';
import { inputOf, report } from '@leadership/tools/processes';
import { Kafka, logLevel } from 'kafkajs';
import type { EchoInput, EchoMessage } from '../kafka/echo.ts';

const { brokers, topic } = inputOf<EchoInput>();
process.on('disconnect', () => process.exit());
// Nagle's algorithm is disabled, because it would slow down the baseline.
const kafka = new Kafka({
  brokers: [...brokers],
  logLevel: logLevel.NOTHING,
  socketFactory: ({ host, port, onConnect }) => connect({ host, port, noDelay: true }, onConnect),
});
const producer = kafka.producer({ allowAutoTopicCreation: false });
const consumer = kafka.consumer({ groupId: topic, allowAutoTopicCreation: false });
let onRecord = (): void => undefined;

await Promise.all([producer.connect(), consumer.connect()]);
await consumer.subscribe({ topic, fromBeginning: true });
await consumer.run({ autoCommit: false, eachMessage: () => Promise.resolve(onRecord()) });
// Warm up, until the consumer reads and the code is compiled.
for (let time = 0; time < 20; time += 1) await roundTripMs();
process.on('message', async () => report<EchoMessage>({ kind: 'echoed', ms: await roundTripMs() }));
await report<EchoMessage>({ kind: 'ready' });

async function roundTripMs(): Promise<number> {
  const read = new Promise<void>((resolve) => {
    onRecord = resolve;
  });
  const began = performance.now();
  const took = read.then(() => performance.now() - began);
  await producer.send({ topic, acks: -1, messages: [{ value: 'x'.repeat(300) }] });
  return took;
}
