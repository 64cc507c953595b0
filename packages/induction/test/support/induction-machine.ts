import type { Instant } from '@leadership/core/adapter';
import type { Beat } from '../../src/beat.ts';
import { inductionRules } from '../../src/protocol/rules.ts';
import type {
  InductionInput,
  InductionOutput,
  InductionState,
  MemberConfig,
} from '../../src/protocol/state.ts';
import { newInduction, stepInduction } from '../../src/protocol/step.ts';

/**
 * The state machine of one member for partition 0 with T = 1000 and F = 100. A test feeds it by
 * hand; the outputs are short texts.
 */
export interface Machine {
  readonly state: InductionState;
  /** The beats that it sent, oldest first. */
  readonly sent: readonly Beat[];
  feed(at: number, input: InductionInput): string[];
  /** Feeds a decision of the coordinator: whether the partition is assigned to this member. */
  assign(at: number, mine: boolean, generation?: number, alone?: boolean): string[];
  /** Feeds its own latest beat, read back. */
  echo(at: number): string[];
  hear(at: number, beat: Beat, stampedMs?: number): string[];
  wake(at: number): string[];
}

export function machine(change: Partial<MemberConfig> = {}): Machine {
  const self: MemberConfig = {
    group: 'g',
    member: 'a',
    incarnation: 'a1',
    partitions: 1,
    thresholdMs: 1000,
    driftRate: 0,
    promise: 'continuous',
    beats: 'owner',
    beatMs: 100,
    numbered: true,
    settles: true,
    ...change,
  };
  let state = newInduction(self, 0);
  const sent: Beat[] = [];
  const feed = (at: number, input: InductionInput): string[] => {
    const step = stepInduction(inductionRules, state, input, {
      now: at as Instant,
      wallMicros: 1_000_000 + at,
    });
    state = step.state;
    for (const output of step.outputs) if (output.kind === 'beat') sent.push(output.beat);
    return step.outputs.map(inWords);
  };
  const hear = (at: number, beat: Beat, stampedMs?: number): string[] =>
    feed(at, {
      kind: 'beat',
      beat,
      receivedAt: at as Instant,
      ...(stampedMs !== undefined && { stampedMs }),
    });
  return {
    get state() {
      return state;
    },
    sent,
    feed,
    hear,
    assign: (at, mine, generation, alone = false) =>
      feed(at, { kind: 'assigned', mine, generation, alone }),
    echo(at) {
      const latest = sent.at(-1);
      if (latest === undefined) throw new Error('nothing was sent');
      return hear(at, latest);
    },
    wake: (at) => feed(at, { kind: 'wake' }),
  };
}

/** Returns a beat of another member. */
export function beatOf(incarnation: string, change: Partial<Beat> = {}): Beat {
  const sequence = change.sequence ?? 1;
  const place = {
    group: 'g',
    partition: 0,
    partitions: 1,
    id: `${incarnation}.${sequence}`,
    sequence,
  };
  return {
    ...place,
    member: incarnation.slice(0, 1),
    incarnation,
    standing: 'leading',
    token: 7n,
    generation: 1,
    thresholdMs: 1000,
    ...change,
  };
}

function inWords(output: InductionOutput): string {
  switch (output.kind) {
    case 'beat':
      return `beats ${output.beat.standing}`;
    case 'granted':
      return `leads until ${output.until}`;
    case 'lost':
      return `lost ${output.reason}`;
    case 'leader':
      return `leader ${output.leader?.incarnation ?? 'none'}`;
    case 'decline':
      return output.on ? 'declines' : 'declines no more';
    case 'unreturned':
      return output.on ? 'is unreturned' : 'is unreturned no longer';
    case 'ignored':
      return `ignores ${output.what}`;
    case 'broken':
      return `broken ${output.rule}`;
    default:
      return output.kind;
  }
}
