// What the tests of every run leave out of the older line: it takes some minutes, and the protocol of the wire is the same.
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe } from 'vitest';
import { continuousOn, oneBroker, threeBrokers } from './kafka-cluster.ts';

const version = '3.9';
const config = { 'group.min.session.timeout.ms': 300 };

describe.runIf(await hasKafka({ brokers: 3, version }))('the older line', () => {
  describe('on one broker', () => conformanceTests(() => oneBroker(version)));
  describe('on three brokers', () => conformanceTests(() => threeBrokers(version)));
});

describe.runIf(await hasKafka({ brokers: 3, version, config }))('the older line, continuous', () => {
  describe('on one broker', () => conformanceTests(() => continuousOn(1, version)));
  describe('on three brokers', () => conformanceTests(() => continuousOn(3, version)));
});
