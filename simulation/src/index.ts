/**
 * The simulation of leases by session, as the benchmarks run it.
 *
 * @packageDocumentation
 */
export { named, simulate } from './kernel/protocol.ts';
export { rows } from './rows/protocol.ts';
