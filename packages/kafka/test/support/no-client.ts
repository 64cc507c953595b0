import type { KafkaClient } from '../../src/client-port.ts';

const refuse = (): never => {
  throw new Error('nothing is asked of the brokers');
};

/** A client of a test in which nothing is asked of the brokers. */
export const noClient: KafkaClient = { openLog: refuse, stayInGroup: refuse };
