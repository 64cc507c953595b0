/**
 * Leader election on etcd 3.5 or newer, over its JSON gateway. Keys under one prefix hold the leases
 * of all groups. {@link etcdLeadership} opens a source on them, and so does
 * `openLeadership('etcd://HOST:PORT,HOST:PORT/?group=GROUP')`.
 *
 * @packageDocumentation
 */
export { backend, etcdLeadership } from './etcd-leadership.ts';
export type { EtcdOptions, EtcdTls } from './options.ts';
export type { EtcdUrlOptions } from './url-options.ts';
