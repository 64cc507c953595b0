// The scenarios for induction. Drift is 5 % in almost all of them, fifty times what production
// assumes, so that a rule that ignores drift fails within seconds. Members beat every T/10 and
// group, as they do by default in production: beats are most of the events.
import { quick, rough } from '../kernel/network.ts';
import type { Scenario } from './scenario.ts';

/**
 * The default: all faults may coincide, and the only guarantee is the maximum overlap of two
 * leaders.
 */
const weather: Scenario = {
  name: 'weather',
  promise: 'continuous',
  beats: 'owner',
  numbered: 'at-once',
  rebalancing: 'eager',
  groups: 1,
  nodes: 3,
  partitions: 4,
  thresholdMs: 1000,
  sessionMs: 400,
  rebalanceMs: 200,
  heartbeatMs: 100,
  beatMs: 100,
  clockErrorMsMax: 0,
  driftRate: 0.05,
  brokers: 2,
  brokerOffsetMsMax: 3_600_000,
  brokerStepMs: [0, 0],
  network: rough,
  draining: { ms: [0, 800], neverShare: 0.1, timeoutMs: 3000 },
  outage: [0.2, 4],
  perMinute: {
    pause: 1,
    restart: 1,
    leave: 0.5,
    cut: 2,
    'cut-off': 0.5,
    starve: 0.5,
    uncoordinated: 0.5,
    move: 2,
    resign: 0.5,
    observe: 0.1,
    evict: 0.5,
    'delete-group': 0.1,
    'coordinator-away': 0.5,
    'new-broker': 0.5,
    drift: 2,
    'broker-drift': 2,
    'wall-step': 1,
  },
  wallOffsetMsMax: 3_600_000,
  gapMsMax: undefined,
  leaderlessShareMax: undefined,
};

/** Every member beats on every partition. */
const chorus: Scenario = {
  ...weather,
  name: 'chorus',
  beats: 'all',
  clockErrorMsMax: 100,
  numbered: 'late',
  rebalancing: 'cooperative',
};

/** One fault at a time, and no crashes: every partition always has a leader (I1, I4). */
const seamless: Scenario = {
  ...weather,
  name: 'seamless',
  network: quick,
  perMinute: {},
  oneByOne: {
    of: [
      'move',
      'move',
      'resign',
      'leave',
      'cut-off',
      'uncoordinated',
      'mute',
      'evict',
      'coordinator-away',
      'delete-group',
      'new-broker',
      'drift',
      'wall-step',
    ],
    restMs: 4000,
  },
  gapMsMax: 0,
  leaderlessShareMax: 0.02,
};

/**
 * Like `seamless`, but all members beat, a member loses a partition before another receives it, and
 * no work delays the drain.
 */
const handedOn: Scenario = {
  ...seamless,
  name: 'handed-on',
  beats: 'all',
  clockErrorMsMax: 100,
  rebalancing: 'cooperative',
  draining: { ms: [0, 0], neverShare: 0, timeoutMs: 3000 },
};

/** Only crashes. The session length bounds the gap, because T has no effect here (I4). */
const crashes: Scenario = {
  ...seamless,
  name: 'crashes',
  beatMs: 50,
  driftRate: 0.001,
  outage: [1, 3],
  perMinute: {},
  oneByOne: { of: ['restart'], restMs: 4000 },
  // Session, rebalance and beat, plus the network delay of one round trip of each.
  gapMsMax: 400 + 200 + 50 + 30,
  leaderlessShareMax: 0.05,
};

/**
 * Leaders resign all the time, and the coordinator loses contact with their successors before these
 * lead: it assigns the partition to the resigner again.
 */
const resigning: Scenario = {
  ...weather,
  name: 'resigning',
  network: quick,
  draining: { ms: [0, 300], neverShare: 0.1, timeoutMs: 600 },
  outage: [0.4, 2],
  perMinute: { 'resign-briefly': 60, uncoordinated: 30, observe: 6, drift: 2 },
};

/**
 * Members fall behind in their reading, and the coordinator loses contact with them: a backlog must
 * not look fresh (I2).
 */
const starved: Scenario = {
  ...weather,
  name: 'starved',
  network: quick,
  outage: [1, 6],
  perMinute: { starve: 8, 'cut-off': 1, move: 2 },
};

/**
 * Like `starved`, but the beats of others count, and the leading broker changes between brokers
 * with different clocks (I2).
 */
const skewed: Scenario = {
  ...starved,
  name: 'skewed',
  beats: 'all',
  clockErrorMsMax: 100,
  brokers: 5,
  // With offsets of hours, a change of broker would be obvious at once. Small offsets must be
  // detected by comparison.
  brokerOffsetMsMax: 300,
  perMinute: { starve: 12, mute: 4, 'new-broker': 20, move: 2, drift: 6, 'broker-drift': 6 },
};

/** The clocks of brokers step (I2), by undetectable amounts and by larger ones. */
const stepping: Scenario = {
  ...skewed,
  name: 'stepping',
  brokerStepMs: [50, 5000],
  network: { ...quick, delayMs: [1, 60], lateShare: 0.05, lateMsMax: 600 },
  perMinute: { starve: 8, mute: 4, 'broker-step': 20, move: 2, drift: 6 },
};

/**
 * Members without a link to the coordinator, or without writes. They learn of assignments from the
 * beats of others (I1).
 */
const unreachable: Scenario = {
  ...weather,
  name: 'unreachable',
  beats: 'all',
  clockErrorMsMax: 100,
  numbered: 'late',
  network: quick,
  outage: [2, 20],
  perMinute: { uncoordinated: 6, mute: 2, cut: 4, evict: 2, move: 1 },
};

/**
 * One member cannot write for a while: another one leads its partitions, without a gap and although it
 * keeps its place in the group (I9).
 */
const unwritten: Scenario = {
  ...seamless,
  name: 'unwritten',
  outage: [1, 6],
  oneByOne: {
    of: ['cannot-write', 'cannot-write', 'cannot-write', 'move', 'resign'],
    restMs: 2000,
  },
};

/** No member can write for a long time, or one of them cannot (I9). */
const refused: Scenario = {
  ...weather,
  name: 'refused',
  network: quick,
  outage: [5, 30],
  perMinute: {},
  oneByOne: { of: ['none-can-write', 'cannot-write', 'restart'], restMs: 4000 },
  // The longest outage, and a beat that comes back.
  gapMsMax: 30_000 + 2000,
  refusedRebalancesPerNodeMax: 3,
};

/** Two independent groups on one topic (I6). One fault at a time. */
const sharedTopic: Scenario = { ...handedOn, name: 'shared-topic', groups: 2 };

/** At most one leader (I5) while assignments have generations, under all faults. */
const exclusive: Scenario = {
  ...weather,
  name: 'exclusive',
  promise: 'exclusive',
  sessionMs: 1200,
  rebalanceMs: 400,
  heartbeatMs: 200,
  numbered: 'late',
};

/**
 * Members are removed and cut off at the same moment, so that their partitions are assigned to
 * others while they still believe (I5).
 */
const expelled: Scenario = {
  ...exclusive,
  name: 'expelled',
  network: quick,
  heartbeatMs: 50,
  outage: [1, 4],
  perMinute: { expel: 12, move: 4, drift: 12 },
};

/**
 * Partitions move back and forth, and beats are late or lost. A beat of an earlier assignment must
 * not count for a later one (I3).
 */
const reordered: Scenario = {
  ...exclusive,
  name: 'reordered',
  heartbeatMs: 100,
  beatMs: 250,
  network: {
    delayMs: [1, 3],
    lateShare: 0.2,
    lateMsMax: 900,
    lossShare: 0.3,
    duplicateShare: 0.01,
  },
  outage: [1, 3],
  perMinute: { move: 40, uncoordinated: 12 },
};

/**
 * At most one leader, as in the paper: while the session is honoured, and no operator revokes a
 * partition (I5).
 */
const honoured: Scenario = {
  ...exclusive,
  name: 'honoured',
  numbered: 'never',
  clockErrorMsMax: 100,
  rebalancing: 'cooperative',
  network: quick,
  perMinute: {
    pause: 2,
    restart: 1,
    leave: 0.5,
    'cut-off': 3,
    mute: 3,
    starve: 2,
    expel: 2,
    move: 2,
    resign: 0.5,
    drift: 2,
    'wall-step': 1,
  },
};

/**
 * The known gap in exclusiveness (I5): the coordinator is unreachable, but the broker of the
 * partition is not. Double leaders are counted, not reported.
 */
const hole: Scenario = {
  ...honoured,
  name: 'hole',
  outage: [2, 8],
  perMinute: { uncoordinated: 6, evict: 2, move: 1 },
};

/** All scenarios. */
export const scenarios: readonly Scenario[] = [
  weather,
  chorus,
  seamless,
  handedOn,
  crashes,
  resigning,
  starved,
  skewed,
  stepping,
  unreachable,
  unwritten,
  refused,
  sharedTopic,
  exclusive,
  expelled,
  reordered,
  honoured,
  hole,
];
