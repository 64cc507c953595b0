// Conformance checks of zombies: members that were stopped while they led, and write late.
import { join } from 'node:path';
import { keyOf } from '../../processes/keep-writing.ts';
import type { MemberEvent } from '../../processes/process-member.ts';
import { valuesIn } from '../../processes/store-versions.ts';
import { assert, assertGreater } from '../assert.ts';
import type { Check } from '../check.ts';
import type { CheckContext } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { type LeadingProcess, processGroup } from '../process-group.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

/** T2 with stopped processes. An unfenced store proves that the late write would do harm. */
export const stoppedZombies: Check = defineCheck({
  id: 'fenced-store-refuses-stopped-zombies',
  title:
    'A late write of a stopped process that arrives after a write of its successor is rejected by a fenced store and accepted by an unfenced one (T2)',
  needs: ['processes', 'stopped-processes'],
  appliesTo: ({ tokens }) => tokens === 'ordered',
  async run(context) {
    const [fenced, unfenced] = await Promise.all([
      zombieWriteOutcome(context, true),
      zombieWriteOutcome(context, false),
    ]);
    assert(
      fenced === 'write-refused',
      `a fenced store did not refuse the write of a zombie, but: ${fenced}`,
    );
    assert(
      unfenced === 'wrote',
      `an unfenced store did not accept the write of a zombie, but: ${unfenced}; this check proves nothing`,
    );
  },
});

/**
 * Stops a leader with a write under way until its successor has written, then lets that write land.
 */
async function zombieWriteOutcome(
  context: CheckContext,
  fenced: boolean,
): Promise<MemberEvent['kind']> {
  await using store = await temporaryDirectory();
  const work = {
    kind: 'write',
    store: store.path,
    fenced,
    latencyMs: context.thresholdMs / 4,
  } as const;
  await using members = await processGroup(
    context,
    ['a', 'b'],
    work,
    `${context.group}-${fenced ? 'fenced' : 'unfenced'}`,
  );
  for (let fromNs = 0n; ; ) {
    const { zombie, inFlight } = await context.until('a leader has a write under way', () =>
      writing(members.leading(fromNs)),
    );
    zombie.member.pause();
    const successor = await members.leader(zombie.acquired.atNs);
    assertGreater("the successor's token", successor.acquired.token, zombie.acquired.token);
    // Its first term may end before its work wrote: on a busy machine a later term is the first to
    // write.
    const isLater = ({ kind, token }: MemberEvent): boolean =>
      kind === 'wrote' && token !== undefined && token > zombie.acquired.token;
    await context.logged(successor.member, isLater);
    // The last write may have landed although the process was stopped before it could log that.
    const landed = await valuesIn(join(store.path, keyOf(0)));
    const landedBefore =
      zombie.member.events.some((event) => isOutcomeOf(event, inFlight)) ||
      landed.includes(inFlight.detail ?? '');
    zombie.member.resume();
    if (!landedBefore)
      return (await context.logged(zombie.member, (event) => isOutcomeOf(event, inFlight))).kind;
    // The write landed before the process was stopped: try again with the next leader.
    fromNs = zombie.acquired.atNs;
  }
}

/**
 * Returns the leader if its second write, or a later one, has begun and not landed. A process that is
 * stopped now has that write in flight.
 */
function writing(
  zombie: LeadingProcess | undefined,
): { readonly zombie: LeadingProcess; readonly inFlight: MemberEvent } | undefined {
  const own = zombie?.member.events.filter(({ token }) => token === zombie.acquired.token) ?? [];
  const inFlight = own.findLast(({ kind }) => kind === 'writing' || kind === 'wrote');
  const isSecond = own.some(({ kind }) => kind === 'wrote');
  return zombie && inFlight?.kind === 'writing' && isSecond ? { zombie, inFlight } : undefined;
}

function isOutcomeOf({ kind, detail }: MemberEvent, { detail: value }: MemberEvent): boolean {
  return (
    detail === value && (kind === 'wrote' || kind === 'write-refused' || kind === 'write-failed')
  );
}
