/**
 * The memory backend: members of one process over a shared register, with every promise of the contract. In tests,
 * {@link memoryGroup} steers who leads: `elect`, `revoke`, `fence`.
 *
 * @packageDocumentation
 */
export { memoryGroup } from './memory/groups.ts';
export type { MemoryGroup, MemoryOptions } from './memory/memory-group.ts';
