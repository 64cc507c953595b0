/**
 * Leader election on etcd: leases with fencing tokens, over the JSON gateway.
 *
 * @packageDocumentation
 */
export {};
