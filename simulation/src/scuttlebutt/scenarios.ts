// The kinds of worlds in which gossip is simulated. Drift is 5 % in most of them, a hundred times
// what is assumed in production, so that a rule that ignores drift fails within minutes.

import { type NetworkConditions, quick, rough } from '../kernel/network.ts';
import { type Variants, variantsOf } from '../kernel/scenario.ts';
import type { Scenario } from './scenario.ts';

const lossy: NetworkConditions = {
  delayMs: [1, 40],
  lateShare: 0.05,
  lateMsMax: 3000,
  lossShare: 0.1,
  duplicateShare: 0.03,
};

/** The default faults: processes, clocks and the network fail. */
const rainy: Scenario = {
  name: 'rainy',
  nodes: 5,
  voters: 3,
  votersStand: true,
  partitions: 1,
  leaseMs: 1000,
  driftRate: 0.05,
  network: rough,
  draining: { ms: [0, 800], neverShare: 0.1, timeoutMs: 3000 },
  wallOffsetMsMax: 3_600_000,
  outage: [0.2, 4],
  mayForgetAll: false,
  perMinute: {
    pause: 1,
    suspend: 1,
    restart: 2,
    leave: 0.1,
    partition: 1,
    isolate: 1,
    deafen: 0.5,
    mute: 0.5,
    resign: 1,
    observe: 0.2,
    drift: 2,
    'wall-step': 0.5,
    set: 10,
    look: 30,
  },
  bounds: {},
};

const rainyWith: Variants<Scenario> = variantsOf(rainy);

/** Only crashes, with good clocks and a fast network. The liveness counters are judged here. */
const calm: Scenario = {
  ...rainy,
  name: 'calm',
  driftRate: 0.0005,
  network: quick,
  draining: { ms: [0, 200], neverShare: 0, timeoutMs: 3000 },
  perMinute: { restart: 0.5, set: 10, look: 30 },
  bounds: { leaderlessShare: 0.1, needlessMovesPerHour: 10, renewalGapsPerHour: 10 },
};

/** The drift that is assumed in production, with all faults. */
const production: Scenario = { ...rainy, name: 'production', driftRate: 0.0005 };

export const scenarios: readonly Scenario[] = [
  rainy,
  calm,
  production,
  {
    ...calm,
    name: 'crashes',
    perMinute: { restart: 3, set: 10, look: 30 },
    bounds: { needlessMovesPerHour: 3 },
  },
  rainyWith('stormy', { partition: 3, isolate: 3 }, { network: lossy }),
  {
    ...calm,
    name: 'moving',
    draining: { ms: [0, 200], neverShare: 0, timeoutMs: 3000 },
    perMinute: { resign: 12, set: 10, look: 30 },
    bounds: { leaderlessShare: 0.1, slowHandoverShare: 0.2 },
  },
  {
    ...rainy,
    name: 'resigning',
    votersStand: false,
    outage: [0.2, 2],
    draining: { ms: [0, 200], neverShare: 0, timeoutMs: 3000 },
    perMinute: { restart: 2, partition: 4, mute: 6, resign: 30, look: 10 },
  },
  {
    // Members often become leaders while their new claims reach no voter.
    ...rainy,
    name: 'resigning-mute',
    votersStand: false,
    partitions: 4,
    outage: [0.2, 2],
    draining: { ms: [0, 200], neverShare: 0, timeoutMs: 3000 },
    perMinute: { restart: 10, mute: 20, resign: 120, isolate: 10 },
  },
  rainyWith('suspended', { suspend: 8 }),
  rainyWith('restarted', { restart: 8 }),
  rainyWith('wiped', { restart: 8 }, { mayForgetAll: true, wallOffsetMsMax: 200 }),
  rainyWith('partitions', { resign: 4 }, { partitions: 3 }),
  rainyWith('five-voters', { mute: 2 }, { nodes: 6, voters: 5 }),
  {
    ...rainy,
    name: 'forgetful',
    votersStand: false,
    partitions: 8,
    network: lossy,
    perMinute: { restart: 60, partition: 8, isolate: 16, mute: 2, resign: 6, look: 10 },
  },
  {
    // Voters close in order, and crash, while the links between them come and go: a vote that a voter
    // cast after its last one must harm (S7).
    ...rainy,
    name: 'deployed',
    nodes: 3,
    partitions: 8,
    outage: [0.2, 2],
    draining: { ms: [0, 200], neverShare: 0, timeoutMs: 3000 },
    perMinute: {
      deploy: 6,
      'deploy-apart': 8,
      restart: 4,
      minority: 6,
      resign: 12,
      look: 10,
    },
  },
  {
    ...rainy,
    name: 'deployed-five',
    voters: 5,
    partitions: 8,
    outage: [2, 8],
    draining: { ms: [0, 200], neverShare: 0, timeoutMs: 3000 },
    perMinute: { deploy: 20, restart: 8, minority: 15, resign: 12, look: 10 },
  },
  {
    // All voters forget terms whose leaders they do not reach, and a candidate has an older claim (T1).
    ...rainy,
    name: 'forgotten',
    nodes: 6,
    votersStand: false,
    mayForgetAll: true,
    wallOffsetMsMax: 200,
    outage: [1, 4],
    perMinute: { wipe: 2, 'forget-term': 5, isolate: 4, resign: 12, drift: 2 },
  },
  {
    // All voters forget at once, with wall clocks that differ widely. The members that stand live on,
    // and all reach each other.
    ...calm,
    name: 'wiped-apart',
    nodes: 6,
    votersStand: false,
    mayForgetAll: true,
    wallOffsetMsMax: 3_600_000,
    perMinute: { wipe: 4, resign: 6, 'wall-step': 2, look: 10 },
    bounds: {},
  },
  { ...rainy, name: 'few-voters', nodes: 6, votersStand: false },
  {
    ...rainy,
    name: 'lone-voter',
    voters: 1,
    votersStand: false,
    mayForgetAll: true,
    wallOffsetMsMax: 200,
    outage: [2, 8],
    perMinute: { wipe: 6, isolate: 12, resign: 4, drift: 2 },
  },
  {
    ...calm,
    name: 'shared',
    partitions: 8,
    mayForgetAll: true,
    wallOffsetMsMax: 200,
    perMinute: { restart: 0.5, 'wipe-all': 60, look: 60 },
    bounds: { sharingMovesPerHour: 80, unevenShare: 0.3 },
    // All members crash every 20 P, so that few crashes suffice.
    judgedThresholds: 120,
  },
  {
    ...calm,
    name: 'split',
    nodes: 6,
    voters: 5,
    perMinute: { shatter: 1, look: 10 },
    bounds: { leaderlessShare: 0.4 },
  },
  {
    ...calm,
    name: 'deaf',
    outage: [40, 60],
    perMinute: { deafen: 1, look: 10 },
    bounds: { leaderlessShare: 0.4 },
  },
  {
    // One of three members is dead or deaf, and the others stop again and again. Then somebody must lead.
    ...calm,
    name: 'starved',
    nodes: 3,
    driftRate: 0.05,
    network: rough,
    perMinute: { starve: 30 },
    bounds: {},
  },
  {
    // The last member lives, and most votes for it are too old when they arrive.
    ...calm,
    name: 'receives-late',
    nodes: 3,
    partitions: 4,
    lastDelay: [0.8, 2],
    perMinute: { look: 10 },
    bounds: { leaderlessShare: 0.03 },
  },
  rainyWith('come-and-go', { leave: 3, look: 60 }, { nodes: 9 }),
  {
    ...calm,
    // Usually 0.41 ± 0.07: most terms expire, because P is shorter than S6 permits in a ring.
    name: 'relayed',
    nodes: 13,
    reach: 1,
    votersStand: false,
    perMinute: { look: 30 },
    bounds: { leaderlessShare: 0.75 },
  },
  {
    ...calm,
    name: 'misconfigured',
    nodes: 13,
    reach: 1,
    votersStand: false,
    partitions: 4,
    outage: [0.2, 2],
    perMinute: { misconfigure: 2, look: 30 },
    bounds: {},
  },
  {
    ...calm,
    name: 'reconfigured',
    network: { ...rough, lateShare: 0 },
    perMinute: { reconfigure: 12, restart: 1, resign: 2, set: 10, look: 30 },
    bounds: {},
  },
  {
    ...calm,
    name: 'restless',
    nodes: 12,
    perMinute: { restart: 40, leave: 3, look: 60 },
    bounds: {},
  },
];
