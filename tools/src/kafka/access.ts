import type { Certificate } from './certificate.ts';
import type { KafkaClient } from './cluster.ts';
import type { KafkaSecurity } from './options.ts';
import type { Properties } from './properties.ts';

/** The user that may do anything. */
const admin = 'admin';

/** How the listener for clients is guarded. The others stay open: nobody but this host reaches them. */
export interface Access {
  readonly security: KafkaSecurity;
  readonly certificate: Certificate | undefined;
}

/** Who can log in, and with which password. */
function passwords({ users = ['member'] }: KafkaSecurity): ReadonlyMap<string, string> {
  return new Map([admin, ...users].map((user) => [user, `${user}-password`]));
}

/** The broker settings that guard the listener `CLIENT`. */
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

function sslProperties({ keystore, password }: Certificate): Properties {
  const prefix = 'listener.name.client.ssl';
  return {
    [`${prefix}.keystore.type`]: 'PKCS12',
    [`${prefix}.keystore.location`]: keystore,
    [`${prefix}.keystore.password`]: password,
    [`${prefix}.key.password`]: password,
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

/** PLAIN has its passwords in the settings; those of SCRAM are in the cluster's metadata, from `scramArguments`. */
function loginModule(security: KafkaSecurity): string {
  if (security.sasl !== 'plain') return 'org.apache.kafka.common.security.scram.ScramLoginModule required';
  const users = [...passwords(security)].map(([user, password]) => `user_${user}="${password}"`);
  return `org.apache.kafka.common.security.plain.PlainLoginModule required ${users.join(' ')}`;
}

/** Who comes by a listener that is open to this host only is ANONYMOUS: the brokers, and whoever sets a test up. */
const aclProperties: Properties = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': `User:${admin};User:ANONYMOUS`,
  'allow.everyone.if.no.acl.found': false,
};

/** What the storage is formatted with, so that users can log in by SCRAM from the first moment. */
export function scramArguments(security: KafkaSecurity): readonly string[] {
  if (security.sasl === undefined || security.sasl === 'plain') return [];
  const mechanism = security.sasl.toUpperCase();
  return [...passwords(security)].map(([user, password]) => `--add-scram=${mechanism}=[name=${user},password=${password}]`);
}

/** How a client connects to these brokers as `user`. Throws where nobody of that name can log in. */
export function clientOf({ security, certificate }: Access, brokers: readonly string[], user: string = admin): KafkaClient {
  const { sasl: mechanism } = security;
  const password = passwords(security).get(user);
  if (password === undefined) throw new Error(`there is no user ${user}: name them in \`security.users\``);
  return {
    brokers: [...brokers],
    ...(certificate && { ssl: { ca: [certificate.pem] } }),
    ...(mechanism && { sasl: { mechanism, username: user, password } }),
  };
}
