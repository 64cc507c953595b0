// A child process of the crash-proved benchmarks: one member of the group that a URL names. It
// reports its terms, and dies on command.
import { openLeadership } from '@leadership/core';
import { inputOf, report } from '@leadership/tools/processes';
import type { Death, MemberInput } from '../guard/member.ts';
import { type ElectionMessage, reportStates } from '../process/member-messages.ts';

const { url, member } = inputOf<MemberInput>();
const source = await openLeadership(url, { member });

reportStates(source, 1);
process.on('message', ({ kind }: { readonly kind: Death }) => {
  if (kind === 'exit') process.exit(1);
  throw new Error('crashes on command');
});
process.on('disconnect', () => process.exit());
await source.ready();
void report<ElectionMessage>({ kind: 'ready' });
