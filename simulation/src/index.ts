/**
 * The simulation of the ledger lease, as the benchmarks run it.
 *
 * @packageDocumentation
 */
export { scenarioNamed } from './ledger/scenarios.ts';
export { simulate } from './ledger/simulate.ts';
