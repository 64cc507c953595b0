// Rule numbers such as L3: docs/reference/rules.md.
/**
 * The memory backend: members in one process over shared registers, with all guarantees of the
 * contract. In tests, {@link memoryGroup} controls the leader: `elect`, `revoke`, `fence`.
 *
 * @packageDocumentation
 */
export { memoryGroup } from './memory/groups.ts';
export type { MemoryGroup } from './memory/memory-group.ts';
