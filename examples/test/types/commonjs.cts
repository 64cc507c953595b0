// A CommonJS application. `commonjs.process.test.ts` type-checks and runs it.
import { openLeadership } from '@leadership/core';
import { memoryGroup } from '@leadership/core/memory';

async function main(): Promise<void> {
  const source = await openLeadership('memory:commonjs', { partitions: 1, thresholdMs: 500 });
  await source.ready();
  await memoryGroup('commonjs').elect(source.member, 0);
  process.stdout.write(source.role('report').isLeading() ? 'leading\n' : 'waiting\n');
  await source.close();
}

void main();
