import type { KafkaClient } from '../../src/kafka-client.ts';

const refuse = (): never => {
  throw new Error('this test sends no requests');
};

/** A client for tests that send no requests. */
export const noClient: KafkaClient = { openLog: refuse, runGroupSession: refuse };
