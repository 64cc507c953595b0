// Every mutant of gossip: the protocol with one rule replaced by a plausible mistake. `npm run
// simulate -- --mutant NAME` and the tests run worlds of each until the judge notices it.
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './world.ts';

/** All mutants of the protocol. */
export const mutants: readonly Mutant<Overrides>[] = [
  // The gossip, the detector and the biased clocks: S1 to S3.
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
  // Votes, terms, tokens, hand-overs and pins: S4 to S6, T1, H2, R3, R4.
  mutant('S4', 'bound-goes-on', 'rainy', 'S4', {
    does: 'publishes its vote although it suspects its favorite',
    overrides: { rules: { publishesWithdrawn: true } },
  }),
  mutant('S4', 'changes-too-early', 'rainy', 'S4', {
    does: 'supports another member before P has passed since its last vote',
    overrides: { rules: { freeAt: (publishedAt, thresholdMs) => publishedAt + thresholdMs * 0.9 } },
  }),
  mutant('S4', 'votes-at-once', 'restarted', 'S4', {
    does: 'votes right after a restart, although it has forgotten its vote',
    overrides: { rules: { muteMs: () => 0, startsWithMemory: true } },
  }),
  mutant('S4', 'keeps-every-favorite', 'split', 'leaderlessShare', {
    does: 'never picks another member than one that is alive and has no majority',
    overrides: { rules: { repicks: () => false } },
  }),
  mutant('S4', 'waits-for-the-deaf', 'deaf', 'leaderlessShare', {
    does: 'picks a member again that had a majority and did not lead',
    overrides: { rules: { skipMs: () => 0 } },
  }),
  mutant('S4', 'skips-in-vain', 'starved', 'led', {
    does: 'passes over a member for long, although the one that it picked instead has no majority',
    overrides: { rules: { forgives: () => false } },
    seeds: [2, 1, 9],
  }),
  mutant('S4', 'forgives-too-soon', 'starved', 'led', {
    does: 'no longer passes over a member, although a voter may yet elect the one picked instead',
    overrides: {
      rules: { forgives: (_undecided, supporters, voters) => 2 * supporters <= voters },
    },
  }),
  mutant('S4', 'forgives-the-deaf', 'starved', 'led', {
    does: 'no longer passes over a member that others elect and that does not lead',
    overrides: { rules: { forgives: (undecided) => undecided === 0 } },
    seeds: [1, 7, 3],
  }),
  mutant('S4', 'follows-the-first', 'crashes', 'needlessMoves', {
    does: 'leaves a favorite that is alive whenever a candidate appears that precedes it',
    overrides: { rules: { isSticky: false } },
    seeds: [10, 9, 7],
  }),
  mutant('S4', 'last-name-first', 'shared', 'sharingMoves', {
    does: 'prefers the greatest name, as published, so that one member leads all partitions',
    overrides: { rules: { precedes: (a, b) => a > b } },
  }),
  mutant('S5', 'published-factor', 'rainy', 'S4', {
    does: 'allows for the drift of one clock only, as published',
    overrides: {
      rules: { believeUntil: (bound, thresholdMs, r) => bound + thresholdMs / (1 + r) },
    },
    seeds: [3, 1, 2],
  }),
  mutant('S5', 'any-generation', 'restarted', 'S4', {
    does: 'counts votes for an earlier generation, as published',
    overrides: { rules: { isForLife: () => true } },
  }),
  mutant('S5', 'less-than-a-majority', 'stormy', 'exclusive', {
    does: 'leads with less than half of the voters',
    overrides: { rules: { isMajority: (count, voters) => 2 * count >= voters - 1 } },
  }),
  mutant('S5', 'counts-resigned-votes', 'moving', 'S4', {
    does: 'counts votes below its horizon',
    overrides: { rules: { counts: (bound, clock) => bound <= clock } },
  }),
  mutant('H2', 'free-after-any-resignation', 'resigning', 'S4', {
    does: 'supports another member after any resignation of its favorite, also an older one',
    overrides: { rules: { freesAtOnce: () => true } },
  }),
  mutant('H2', 'waits-after-a-resignation', 'moving', 'slowHandoverShare', {
    does: 'waits for P although its favorite has declared that it counts none of its votes',
    overrides: { rules: { freesAtOnce: () => false } },
  }),
  mutant('S6', 'gossips-too-rarely', 'relayed', 'leaderlessShare', {
    does: 'has an interval with which votes are too old when they have crossed the group',
    overrides: { intervalShare: 1 },
  }),
  mutant('R4', 'goes-on-beside-others', 'reconfigured', 'exclusive', {
    does: 'takes part as a newcomer although it has received another pin',
    overrides: { rules: { refuses: false } },
  }),
  mutant('R4', 'counts-direct-messages-only', 'misconfigured', 'R4', {
    does: 'counts as a newcomer, although it leads, if all votes for it were forwarded',
    overrides: { rules: { countsForwarded: false } },
    seeds: [3, 5, 11],
  }),
  mutant('R3', 'pins-no-voters', 'reconfigured', 'exclusive', {
    does: 'sends a pin that does not depend on the voters',
    overrides: { pinOf: () => 'pin' },
  }),
  mutant('L9', 'never-shares', 'shared', 'unevenShare', {
    does: 'keeps every partition, however many it leads',
    overrides: { rules: { settleMs: () => Number.POSITIVE_INFINITY } },
  }),
  mutant('L9', 'asks-again-at-once', 'receives-late', 'leaderlessShare', {
    does: 'asks again for a partition that it could not lead, as soon as another one leads it',
    overrides: { rules: { asksAfterMs: () => 0 } },
  }),
  mutant('T1', 'accepts-any-claim', 'partitions', 'T1', {
    does: 'accepts a claim that is not greater than those of others',
    seeds: [1, 2, 41],
    overrides: { rules: { accepts: () => true } },
  }),
  mutant('T1', 'claim-not-accepted', 'resigning-mute', 'T1', {
    does: 'begins a term with votes that have not accepted its claim',
    overrides: { rules: { elects: () => true } },
    seeds: [16, 32, 25],
  }),
  mutant('T1', 'remembers-nothing', 'forgetful', 'T1', {
    does: 'accepts any claim after a restart, without asking the other voters',
    overrides: { rules: { startsWithMemory: true } },
    seeds: [6, 5, 8],
  }),
  mutant('T1', 'earlier-claims-after-a-wipe', 'forgotten', 'T1', {
    does: 'accepts any claim, also an old one, if a majority has forgotten what it accepted',
    overrides: { rules: { assumedKnown: (known) => known } },
  }),
  mutant('T1', 'earlier-claims-of-a-lone-voter', 'lone-voter', 'T1', {
    does: 'accepts any claim, also an old one, after the only voter has restarted',
    overrides: { rules: { assumedKnown: (known) => known } },
    seeds: [331, 2004, 2002],
  }),
  mutant('T1', 'wall-clock-alone', 'wiped-apart', 'T1', {
    does: 'regards only tokens up to its wall clock as accepted, although living members know greater ones',
    overrides: { rules: { countsTheLiving: false } },
    seeds: [1070, 1036, 1101],
  }),
  mutant('S7', 'votes-after-its-last-vote', 'deployed', 'T1', {
    does: 'accepts claims and votes after its last vote, until its process ends',
    overrides: { rules: { endsWithLastVote: false } },
    seeds: [2, 6, 1],
  }),
];
