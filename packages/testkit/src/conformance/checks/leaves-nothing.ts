// Conformance checks that a closed source leaves nothing open behind.
import { resourcesInUse, resourcesLeft } from '../../faults/resources.ts';
import type { Check } from '../check.ts';
import type { CheckContext } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';

/**
 * How often a source is opened and closed: one leak more each time shows however many handles come
 * and go beside.
 */
const rounds = 3;

/** Close releases all handles. */
export const closeLeavesNothing: Check = defineCheck({
  id: 'close-leaves-nothing',
  title: 'A closed source leaves no timer, socket or other handle open',
  alone: true,
  async run(context) {
    // Resources that a backend creates once per process are not leaks.
    await openAndClose(context, 'first');
    const before = resourcesInUse();
    for (let round = 0; round < rounds; round += 1) await openAndClose(context, `m${round}`);
    await context.until(
      `handles are what they were before (${before.join(' ')})`,
      () => resourcesLeft(before).length < rounds,
    );
  },
});

async function openAndClose(context: CheckContext, member: string): Promise<void> {
  const source = context.open(member);
  await context.leader([source]);
  await context.settled(`${member} closes`, source.close());
}
