// TLS, users and passwords of the brokers that tests start.
import type { Certificate } from '../backends/certificates.ts';
import type { KafkaClient } from './cluster.ts';
import type { KafkaSecurity } from './options.ts';
import type { Properties } from './properties.ts';

/** The user with all rights. */
const admin = 'admin';

/**
 * The security of the listener for clients. The other listeners are open, because only this host
 * can reach them.
 */
export interface Access {
  readonly security: KafkaSecurity;
  readonly certificate: Certificate | undefined;
}

/** Returns the users and their passwords. */
function passwords({ users = ['member'] }: KafkaSecurity): ReadonlyMap<string, string> {
  return new Map([admin, ...users].map((user) => [user, `${user}-password`]));
}

/** Returns the broker settings that secure the listener `CLIENT`. */
export function accessProperties({ security, certificate }: Access): Properties {
  return {
    'listener.security.protocol.map': `CLIENT:${protocolOf(security)},DIRECT:PLAINTEXT,CONTROLLER:PLAINTEXT`,
    ...(certificate && sslProperties(certificate)),
    ...(security.sasl && saslProperties(security)),
    ...(security.acls && aclProperties),
  };
}

function protocolOf({ sasl, tls }: KafkaSecurity): string {
  if (sasl) return tls ? 'SASL_SSL' : 'SASL_PLAINTEXT';
  return tls ? 'SSL' : 'PLAINTEXT';
}

function sslProperties({ pem, keyPem }: Certificate): Properties {
  const prefix = 'listener.name.client.ssl.keystore';
  return {
    [`${prefix}.type`]: 'PEM',
    [`${prefix}.certificate.chain`]: pem,
    [`${prefix}.key`]: keyPem,
  };
}

function saslProperties(security: KafkaSecurity): Properties {
  const { sasl = 'plain' } = security;
  const prefix = 'listener.name.client';
  return {
    [`${prefix}.sasl.enabled.mechanisms`]: sasl.toUpperCase(),
    [`${prefix}.${sasl}.sasl.jaas.config`]: `${loginModule(security)};`,
  };
}

/**
 * Returns the JAAS login module. PLAIN reads passwords from the settings, SCRAM from the cluster's
 * metadata (see `scramArguments`).
 */
function loginModule(security: KafkaSecurity): string {
  if (security.sasl !== 'plain')
    return 'org.apache.kafka.common.security.scram.ScramLoginModule required';
  const users = [...passwords(security)].map(([user, password]) => `user_${user}="${password}"`);
  return `org.apache.kafka.common.security.plain.PlainLoginModule required ${users.join(' ')}`;
}

/**
 * Clients of the open listeners have the user ANONYMOUS. These are the brokers themselves and the
 * setup of tests.
 */
const aclProperties: Properties = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': `User:${admin};User:ANONYMOUS`,
  'allow.everyone.if.no.acl.found': false,
};

/**
 * Returns the arguments with which the storage is formatted, so that users can log in with SCRAM as
 * soon as the broker runs.
 */
export function scramArguments(security: KafkaSecurity): readonly string[] {
  if (security.sasl === undefined || security.sasl === 'plain') return [];
  const mechanism = security.sasl.toUpperCase();
  return [...passwords(security)].map(
    ([user, password]) => `--add-scram=${mechanism}=[name=${user},password=${password}]`,
  );
}

/**
 * Returns the KafkaJS configuration to connect to these brokers as `user`. Throws if the user does
 * not exist.
 */
export function clientOf(
  { security, certificate }: Access,
  brokers: readonly string[],
  user: string = admin,
): KafkaClient {
  const { sasl: mechanism } = security;
  const password = passwords(security).get(user);
  if (password === undefined) throw new Error(`unknown user ${user}: add it to \`security.users\``);
  return {
    brokers: [...brokers],
    ...(certificate && { ssl: { ca: [certificate.pem] } }),
    ...(mechanism && { sasl: { mechanism, username: user, password } }),
  };
}
