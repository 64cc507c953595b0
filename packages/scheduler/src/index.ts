/**
 * Cron jobs that run once per tick across all members of a group, also across restarts and
 * hand-overs. {@link schedule} runs a job at each tick on the member that leads a role. A
 * {@link TickStore} keeps which ticks were claimed, so that no tick runs twice.
 * {@link nodeCronCoordinator} and {@link oncePerTick} give the ticks of other schedulers the same
 * promise.
 *
 * @packageDocumentation
 */
export { fileTicks } from './file-ticks.ts';
export { type NodeCronCoordinator, nodeCronCoordinator } from './node-cron-coordinator.ts';
export { type OncePerTickOptions, oncePerTick } from './once-per-tick.ts';
export { type PostgresTicksOptions, postgresTicks, type SendStatement } from './postgres-ticks.ts';
export { rowTicks } from './row-ticks.ts';
export { type Schedule, type ScheduleOptions, schedule } from './schedule.ts';
export type { Job, MissedReason, Tick, TickOutcome } from './tick.ts';
export type { TickStore } from './tick-store.ts';
