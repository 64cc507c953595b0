/**
 * Leader election on Redis and Valkey: leases with fencing tokens in one hash per group.
 *
 * @packageDocumentation
 */
export {};
