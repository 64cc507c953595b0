import type { KafkaClient } from '../../src/client-port.ts';

const refuse = (): never => {
  throw new Error('this test sends no requests');
};

/** A client for tests that send no requests. */
export const noClient: KafkaClient = { openLog: refuse, stayInGroup: refuse };
