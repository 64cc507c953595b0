import type { EpochMember } from '../../src/index.ts';

export const members: readonly EpochMember[];
