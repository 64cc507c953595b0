/**
 * Leader election in NestJS: {@link LeadershipModule} opens a source and closes it on shutdown,
 * {@link OnlyLeader} runs a method on the leader only, and {@link LeadershipHealthIndicator} reports
 * the health to `@nestjs/terminus`.
 *
 * @packageDocumentation
 */
export { type HealthResult, LeadershipHealthIndicator } from './health-indicator.ts';
export {
  type LeadershipAsyncOptions,
  LeadershipModule,
  type LeadershipModuleOptions,
} from './leadership-module.ts';
export { type LeaderMethodDecorator, OnlyLeader } from './only-leader.ts';
export { InjectRole, InjectSource, LEADERSHIP_SOURCE, roleToken } from './tokens.ts';
