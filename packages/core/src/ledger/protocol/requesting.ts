import { after, type Instant, never } from '../../time/instant.ts';
import { holderOf } from '../record.ts';
import { abstains, latest, mayContend, trustedAt, vacantAt } from './claiming.ts';
import type { Heard } from './state.ts';
import { isHeldHere, type StepContext } from './step-context.ts';

/**
 * Requests the lease from its holder while this member is preferred and does not hold it (L7).
 * Returns when to ask again.
 */
export function requestLease(context: StepContext): Instant {
  const { state, rules, now } = context;
  const dueAt = nextAskAt(context);
  if (now < dueAt) return dueAt;
  const { self, partition } = state;
  const { member, incarnation, thresholdMs } = self;
  state.sequence += 1;
  const id = `${member}/${incarnation}/${partition}.${state.sequence}`;
  state.wants = [
    ...state.wants.filter((want) => want.sentAt > now - thresholdMs),
    { id, sentAt: now },
  ];
  state.askAt = after(now, rules.wantMs(thresholdMs).every);
  context.outputs.push({ kind: 'ask', want: { partition, id, incarnation, member, thresholdMs } });
  return state.askAt;
}

/**
 * Returns when the next want is due. A member that cannot read the register sends none: it would
 * not see the answer, or could not trust it.
 */
function nextAskAt(context: StepContext): Instant {
  const { fold, self, ranks, askAt } = context.state;
  const isPreferred = ranks?.at(0) === self.incarnation;
  if (!self.asks || !isPreferred || fold.kind !== 'following' || !mayContend(context)) return never;
  const isHeldElsewhere =
    holderOf(fold.effect) !== undefined &&
    !isHeldHere(context) &&
    context.now < vacantAt(context, fold);
  return isHeldElsewhere && !abstains(context)
    ? latest(askAt, trustedAt(context, fold.waits))
    : never;
}

/** Stores the latest want of each member while it is fresh enough to be answered. */
export function receiveRequest({ state, rules, now }: StepContext, heard: Heard): void {
  const { incarnation, thresholdMs } = heard.want;
  if (
    incarnation === state.self.incarnation ||
    !(thresholdMs > 0 && thresholdMs <= state.self.thresholdMsMax)
  )
    return;
  const others = state.heard.filter(({ want }) => want.incarnation !== incarnation);
  const fresh = others.filter(
    ({ want, receivedAt }) => now < after(receivedAt, rules.wantMs(want.thresholdMs).fresh),
  );
  state.heard = [...fresh, heard];
}
