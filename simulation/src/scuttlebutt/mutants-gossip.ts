// Wrong versions of the rules by which members spread news and suspect each other (S1 to S3), which
// the simulation must catch.
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './world.ts';

/** Mutants of the gossip, the detector and the biased clocks: S1 to S3. */
export const gossipMutants: readonly Mutant<Overrides>[] = [
  mutant('S1', 'old-versions', 'stormy', 'S1', {
    does: 'takes whatever arrives last, although messages do not keep their order',
    overrides: { rules: { isNewer: (received, known) => received !== known } },
    seeds: [225, 152, 128],
  }),
  mutant('S1', 'one-life-for-all', 'restarted', 'S3', {
    does: 'keeps the state of an earlier generation when a later one appears',
    overrides: { rules: { resets: false } },
    seeds: [130, 126, 114],
  }),
  mutant('S1', 'never-forgotten', 'come-and-go', 'S1', {
    does: 'passes on silent members without end, and meets again those that it has just removed',
    overrides: { rules: { isSpread: () => true, revives: () => true } },
    seeds: [130, 118, 119],
  }),
  mutant('S1', 'spreads-hearsay', 'restless', 'S1', {
    does: 'passes on members of which it knows the name only, so that restarts keep a dead one known',
    overrides: { rules: { isSpread: (silentMs, forgetAfterMs) => silentMs < forgetAfterMs / 2 } },
    seeds: [2, 3, 5],
  }),
  mutant('S2', 'never-suspects', 'come-and-go', 'S2', {
    does: 'regards a member as alive without end after its second beat',
    overrides: {
      rules: { beaten: (pulse) => ({ ...pulse, suspectAt: Number.POSITIVE_INFINITY }) },
    },
  }),
  mutant('S2', 'suspects-at-once', 'calm', 'leaderlessShare', {
    does: 'suspects a member right after each beat, whatever intervals it has seen',
    overrides: {
      rules: {
        beaten: (pulse, now) => ({ ...pulse, suspectAt: now }),
      },
    },
  }),
  mutant('S2', 'alive-by-hearsay', 'come-and-go', 'S2', {
    does: 'regards a member as alive whenever its name is first received, so that a dead one revives',
    overrides: {
      rules: { isAliveAtFirst: () => true, revives: () => true, isSpread: () => true },
    },
    seeds: [103, 118, 119],
  }),
  mutant('S3', 'unbiased-clocks', 'rainy', 'S3', {
    does: 'advances the estimate of another clock as fast as its own',
    overrides: { rules: { slowed: (elapsedMs) => elapsedMs } },
  }),
  mutant('S3', 'half-the-bias', 'rainy', 'S3', {
    does: 'allows for the drift of one of the two clocks only',
    overrides: { rules: { slowed: (elapsedMs, r) => elapsedMs * (1 - r) } },
  }),
  mutant('S3', 'goes-on-after-sleep', 'suspended', 'S3', {
    does: 'keeps its generation after its clock stopped',
    overrides: { rules: { renewsAfterStop: false, showsClockStop: () => false } },
  }),
  mutant('S3', 'votes-after-sleep', 'suspended', 'S4', {
    does: 'counts votes whose bounds were ahead of its clock while that was stopped',
    overrides: { rules: { renewsAfterStop: false, showsClockStop: () => false } },
  }),
];
