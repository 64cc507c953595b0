// The conformance tests on the older line of Kafka. The regular run omits them: they take minutes,
// and the wire protocol is the same.
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

describe.runIf(await hasKafka({ brokers: 3, version, config }))(
  'the older line, continuous',
  () => {
    describe('on one broker', () => conformanceTests(() => continuousOn(1, version)));
    describe('on three brokers', () => conformanceTests(() => continuousOn(3, version)));
  },
);
