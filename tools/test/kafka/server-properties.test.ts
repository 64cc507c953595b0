import { expect, test } from 'vitest';
import { formatProperties } from '../../src/kafka/properties.ts';
import { serverProperties } from '../../src/kafka/server-properties.ts';

const ports = [1, 2, 3].map((id) => ({
  client: 1000 + id,
  advertised: 4000 + id,
  direct: 2000 + id,
  controller: 3000 + id,
}));
const open = { security: {}, certificate: undefined };
const position = { id: 2, folder: '/data/broker-2', ports };

test('the advertised address for clients leads through the proxy, that for brokers does not', () => {
  const properties = serverProperties(position, open, {});
  expect(properties['listeners']).toBe(
    'CLIENT://127.0.0.1:1002,DIRECT://127.0.0.1:2002,CONTROLLER://127.0.0.1:3002',
  );
  expect(properties['advertised.listeners']).toBe(
    'CLIENT://127.0.0.1:4002,DIRECT://127.0.0.1:2002',
  );
  expect(properties['inter.broker.listener.name']).toBe('DIRECT');
  expect(properties['controller.quorum.voters']).toBe(
    '1@127.0.0.1:3001,2@127.0.0.1:3002,3@127.0.0.1:3003',
  );
});

test('given settings replace the defaults, but not the identity of the broker', () => {
  const properties = serverProperties(position, open, {
    config: { 'auto.create.topics.enable': true, 'node.id': 7 },
  });
  expect(properties['auto.create.topics.enable']).toBe(true);
  expect(properties['node.id']).toBe(2);
});

test('security applies only to the listener for clients', () => {
  const properties = serverProperties(
    position,
    { ...open, security: { sasl: 'scram-sha-256', acls: true } },
    {},
  );
  expect(properties['listener.security.protocol.map']).toBe(
    'CLIENT:SASL_PLAINTEXT,DIRECT:PLAINTEXT,CONTROLLER:PLAINTEXT',
  );
  expect(properties['super.users']).toBe('User:admin;User:ANONYMOUS');
});

test('a broker without security has no security settings', () => {
  expect(
    Object.keys(serverProperties(position, open, {})).filter((name) =>
      /sasl|ssl|authorizer/.test(name),
    ),
  ).toEqual([]);
});

test('a backslash is escaped as in a Java properties file', () => {
  expect(formatProperties({ 'log.dirs': 'C:\\data', 'node.id': 1 })).toBe(
    'log.dirs=C:\\\\data\nnode.id=1\n',
  );
});
