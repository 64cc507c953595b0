/**
 * The simulation of the ledger lease, as the benchmarks run it.
 *
 * @packageDocumentation
 */
export { named, simulate } from './kernel/protocol.ts';
export { ledger } from './ledger/protocol.ts';
