import type { NerioSource } from '../../src/index.ts';

export declare function propose(
  directory: string,
  member: string,
  members: readonly string[],
): void;
export declare function membersAsOf(directory: string, member: string): readonly string[];
export declare function isGranting(directory: string, member: string): boolean;
export declare function displacements(directory: string, member: string): string;
export declare function follow(source: NerioSource, directory: string): NerioSource;
