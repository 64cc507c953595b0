// Completes and checks the induction options, and derives the guarantees from them.
import type { Assumption, Guarantees } from '@leadership/core';
import { check } from '@leadership/core/adapter';
import { show } from '@leadership/core/internal/engine';
import type { InductionTraits, ResolvedInductionOptions } from './options.ts';
import type { MemberConfig } from './protocol/state.ts';

/** The engine's settings, derived from the options and the broker's traits. */
export interface InductionSettings
  extends Pick<MemberConfig, 'promise' | 'beats' | 'beatMs' | 'numbered' | 'settles'> {
  readonly clockErrorMsMax: number;
}

/** The minimum number of beat intervals within T, so that leadership survives two lost beats. */
const beatsInThresholdMin = 3;

/**
 * Completes and checks the options.
 *
 * @throws LeadershipError `invalid-options`, with the numbers of the relation that does not hold
 */
export function inductionSettings(
  options: ResolvedInductionOptions,
  traits: InductionTraits,
): InductionSettings {
  const { promise = 'continuous', beats = 'owner', groupsOnTopic = 1, thresholdMs } = options;
  checkWords(promise, beats);
  check(
    Number.isSafeInteger(groupsOnTopic) && groupsOnTopic >= 1,
    `groupsOnTopic ${groupsOnTopic} must be a whole number from 1 up`,
  );
  const beatMs = options.beatMs ?? Math.min(thresholdMs / 10, thresholdMs / (4 * groupsOnTopic));
  const clockErrorMsMax = options.clockErrorMsMax ?? (beats === 'all' ? thresholdMs / 10 : 0);
  checkBeats(thresholdMs, beatMs, groupsOnTopic);
  check(
    isNumber(clockErrorMsMax) && clockErrorMsMax >= 0,
    `clockErrorMsMax ${show(clockErrorMsMax)} must be a number of milliseconds from 0 up`,
  );
  checkPromise({ promise, beats, thresholdMs, clockErrorMsMax }, traits);
  return {
    promise,
    beats,
    beatMs: beatMs * groupsOnTopic,
    clockErrorMsMax,
    numbered: traits.numbered,
    settles: traits.settles ?? false,
  };
}

/** Returns the guarantees under these settings, with T in `thresholdMs` (I4, I5). */
export function inductionGuarantees(
  { thresholdMs, driftRate }: Pick<ResolvedInductionOptions, 'thresholdMs' | 'driftRate'>,
  settings: InductionSettings,
  traits: InductionTraits,
): Guarantees {
  const { promise, beats, beatMs, clockErrorMsMax, numbered } = settings;
  const { sessionTimeoutMs, rebalanceTimeoutMs, deliveryDelayMs = 0 } = traits;
  const isExclusive = promise === 'exclusive';
  const assumes: readonly Assumption[] = [
    'drift',
    ...(beats === 'all' ? ['skew' as const] : []),
    'session',
    'no-suspend',
  ];
  const graceMs = isExclusive ? thresholdMs * (1 + driftRate) : 0;
  return {
    exclusive: isExclusive,
    tokens: 'none',
    handover: 'overlapping',
    assumes,
    overlapMsMax: isExclusive ? 0 : overlapMsMax(numbered, thresholdMs + clockErrorMsMax),
    failoverMsMax: Math.ceil(
      sessionTimeoutMs + rebalanceTimeoutMs + beatMs + deliveryDelayMs + graceMs,
    ),
  };
}

/**
 * Returns the overlap bound. A leader that only its coordinator cannot reach learns of its
 * successor from the successor's beats, but only if numbered decisions show which of the two is
 * later.
 */
function overlapMsMax(numbered: boolean, boundMs: number): number | 'unbounded' {
  return numbered ? Math.ceil(boundMs) : 'unbounded';
}

function checkWords(promise: unknown, beats: unknown): void {
  check(
    promise === 'continuous' || promise === 'exclusive',
    `promise ${show(promise)} must be "continuous" or "exclusive"`,
  );
  check(beats === 'all' || beats === 'owner', `beats ${show(beats)} must be "all" or "owner"`);
}

function checkBeats(thresholdMs: number, beatMs: number, groupsOnTopic: number): void {
  check(
    isNumber(beatMs) && beatMs > 0,
    `beatMs ${show(beatMs)} must be a number of milliseconds greater than 0`,
  );
  const everyMs = beatMs * groupsOnTopic;
  const spelled =
    groupsOnTopic === 1 ? `beatMs ${beatMs}` : `beatMs ${beatMs} × groupsOnTopic ${groupsOnTopic}`;
  check(
    thresholdMs > beatsInThresholdMin * everyMs,
    `thresholdMs ${thresholdMs} must exceed ${beatsInThresholdMin} × ${spelled}, so that leadership survives two lost beats`,
  );
}

type Promised = Pick<InductionSettings, 'promise' | 'beats' | 'clockErrorMsMax'> & {
  readonly thresholdMs: number;
};

function checkPromise(
  { promise, beats, thresholdMs, clockErrorMsMax }: Promised,
  { sessionTimeoutMs, stamps }: InductionTraits,
): void {
  check(
    beats === 'owner' || stamps === 'broker',
    `beats "all" needs timestamps of the broker's own clock, which this broker does not guarantee; use beats "owner"`,
  );
  if (promise === 'continuous') {
    const why = 'otherwise a disconnected leader stops before another can be assigned';
    return check(
      thresholdMs > sessionTimeoutMs,
      `thresholdMs ${thresholdMs} must exceed the session timeout ${sessionTimeoutMs}: ${why}`,
    );
  }
  check(
    beats === 'owner',
    'promise "exclusive" needs beats "owner": beats of other members do not prove that a leader is the only one',
  );
  const sum =
    clockErrorMsMax === 0
      ? `thresholdMs ${thresholdMs}`
      : `thresholdMs ${thresholdMs} + clockErrorMsMax ${clockErrorMsMax}`;
  const why = 'otherwise another member can be assigned before a disconnected leader stops';
  check(
    thresholdMs + clockErrorMsMax < sessionTimeoutMs,
    `${sum} must be less than the session timeout ${sessionTimeoutMs}: ${why}`,
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
