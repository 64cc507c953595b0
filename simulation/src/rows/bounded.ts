// Judges that, in every world and whatever the store does, a member that leaves has closed in bounded time,
// and no member sends exchanges without a pause.
import type { Input, MemberState } from '@leadership/core/internal/sessions';
import type { Real } from '../kernel/clock.ts';
import { violation } from '../kernel/judge.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import type { Node, World } from './world.ts';

/**
 * How long a member may take to close after its work was given up. In T: the rest of its lease (H3), a doubt (M5,
 * M6) and a release that does not land (M9), by a clock at each end of the drift; and three exchanges that change
 * nothing, each with T/4, T/3 until the next one, and a reading of that length before.
 */
const closesThresholds = 3;
const attemptsThresholds = 3 * 2 * (1 / 4 + 1 / 3);

function closesMs({ scenario: { thresholdMs, driftRate, draining } }: World): number {
  const drainedMs = (1 + 2 * driftRate) * closesThresholds * thresholdMs;
  return draining.timeoutMs + drainedMs + attemptsThresholds * thresholdMs;
}

/** Notes that a member begins to leave. */
export function noteLeaving(world: World, node: Node): void {
  scheduleFor(world, node, closesMs(world), judgeClosed, world.now);
}

/** Judges that it has closed. A process that was paused has the whole time again. */
function judgeClosed(world: World, askedAt: Real, node: Node): void {
  if (world.members.hasClosed(node)) return;
  const since = Math.max(askedAt, node.pausedUntil);
  const leftMs = since + closesMs(world) - world.now;
  if (leftMs > 0) return scheduleFor(world, node, leftMs, judgeClosed, since);
  violation(world, 'closes', node, -1, `has not closed after ${closesMs(world)} ms`);
}

type Flight = NonNullable<MemberState['flight']>;

/** The pace of the exchanges of a member. */
export class Pace {
  /** Whether something new has reached the member since its last exchange. */
  isNew = true;
  /** The texts of rows that answers have shown. */
  readonly texts: Map<string, string | null> = new Map();
  /** When it has sent exchanges in the last T though nothing was new, by its clock. */
  readonly idle: number[] = [];
}

/**
 * The most exchanges in T that follow nothing new. The shortest pause is T/50; it grows after the first refusal of
 * a renewal, and of each deposition, up to T/3 and T/6.
 */
const idleMax = 40;

/** Notes an input. An answer that has changed and shown nothing is not new; nor is a failure. */
export function noteNews({ pace, state }: Node, input: Input): void {
  if (input.kind === 'wake' || input.kind === 'failed') return;
  if (input.kind !== 'exchanged') pace.isNew = true;
  else if (state.flight?.id === input.id && isNew(pace, state.flight, input)) pace.isNew = true;
}

/** Whether an answer shows a row that is new to the member, or made another change than its renewal. */
function isNew(
  { texts }: Pace,
  { changes, renews }: Flight,
  { answer }: Input & { readonly kind: 'exchanged' },
): boolean {
  const own = renews ? changes[0]?.name : undefined;
  const isMade = changes.some(({ name }, index) => answer.outcomes[index] === true && name !== own);
  const shown = answer.rows.filter(([name, text]) => name !== own && texts.get(name) !== text);
  for (const [name, text] of shown) texts.set(name, text);
  return isMade || shown.length > 0;
}

/** Judges an exchange: those that follow nothing new have pauses. */
export function judgePace(world: World, node: Node): void {
  const { pace, clock, state } = node;
  const [isIdle, now] = [!pace.isNew, clock.now()];
  pace.isNew = false;
  if (!isIdle) return;
  const { idle } = pace;
  idle.push(now);
  while ((idle[0] ?? now) <= now - state.config.thresholdMs) idle.shift();
  if (idle.length > idleMax)
    violation(
      world,
      'pace',
      node,
      -1,
      `sends ${idle.length} exchanges in T that nothing new asks for`,
    );
}
