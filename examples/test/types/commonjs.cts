// A CommonJS application. `commonjs.process.test.ts` type-checks and runs it.
import { openLeadership } from '@leadership/core';
import { memoryGroup } from '@leadership/core/memory';
import type { LeaderCron } from '@leadership/nestjs/schedule';

export type Decorator = typeof LeaderCron;

async function main(): Promise<void> {
  const source = await openLeadership('memory:commonjs', { partitions: 1, thresholdMs: 500 });
  await source.ready();
  await memoryGroup('commonjs').elect(source.member, 0);
  process.stdout.write(source.role('report').isLeading() ? 'leading\n' : 'waiting\n');
  await source.close();
}

void main();
