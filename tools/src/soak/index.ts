/**
 * Soak tests: random faults in real processes, and checks of the events that they report.
 *
 * @packageDocumentation
 */
export type {
  EnvironmentFault,
  LossyPeriod,
  MemberFault,
  SoakContext,
  SoakEnvironment,
} from './environment.ts';
export { judgedSoak } from './judged-soak.ts';
export { type MemberProxies, memberProxies, networkFaults } from './network-faults.ts';
export { type Replication, replicatedEnvironment } from './replicated-environment.ts';
export { type FaultyServer, serverFaults } from './server-faults.ts';
