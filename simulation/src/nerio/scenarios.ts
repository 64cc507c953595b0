// The kinds of worlds in which Nerio is simulated. Drift is 5 % in almost all of them, fifty times
// what production assumes, so that a rule that ignores drift fails within seconds.

import { type NetworkConditions, quick, rough } from '../kernel/network.ts';
import { type Variants, variantsOf } from '../kernel/scenario.ts';
import type { Scenario } from './scenario.ts';

/** Round trips of up to a quarter of the lease. */
const distant: NetworkConditions = {
  delayMs: [60, 125],
  lateShare: 0,
  lateMsMax: 0,
  lossShare: 0,
  duplicateShare: 0,
};

/** The default faults: processes, clocks and the network fail, and the members change. */
const rainy: Scenario = {
  name: 'rainy',
  clocks: 'drift',
  nodes: 5,
  newcomers: 2,
  voters: Number.POSITIVE_INFINITY,
  otherConfigs: [],
  partitions: 1,
  leaseMs: 1000,
  leaseMsMax: 2000,
  driftRate: 0.05,
  skewMs: 0,
  leaseSpread: [0, 0.2, -0.2, 0.4],
  network: rough,
  draining: { ms: [0, 800], neverShare: 0.1, timeoutMs: 3000 },
  wallOffsetMsMax: 3_600_000,
  outage: [0.2, 4],
  keeps: ['grants', 'hard-state', 'grants', 'nothing', 'hard-state', 'grants', 'nothing'],
  mayForgetAll: false,
  lesserShare: 0.2,
  perMinute: {
    pause: 1,
    amnesia: 1,
    restart: 1,
    copy: 0.5,
    restore: 0.1,
    wipe: 0.1,
    hang: 0.5,
    partition: 1,
    isolate: 1,
    resign: 1,
    observe: 0.2,
    drift: 2,
    'wall-step': 2,
    reconfigure: 0.3,
    edict: 20,
    verify: 10,
    find: 2,
  },
  bounds: {},
};

const rainyWith: Variants<Scenario> = variantsOf(rainy);

/** Only crashes, with good clocks and a fast network. The liveness counters are judged here. */
const calm: Scenario = {
  ...rainy,
  name: 'calm',
  newcomers: 0,
  driftRate: 0.001,
  leaseSpread: [0],
  network: quick,
  keeps: ['grants'],
  draining: { ms: [0, 200], neverShare: 0, timeoutMs: 3000 },
  perMinute: { amnesia: 0.5, edict: 10 },
  // A quorum that loses its memory at once cannot renew. This is rare and unavoidable.
  bounds: { leaderlessShare: 0.05, needlessMovesPerHour: 2, renewalGapsPerHour: 1 },
};

/** A very unreliable network. */
const stormy: Scenario = rainyWith(
  'stormy',
  { partition: 3, isolate: 3 },
  {
    network: {
      delayMs: [1, 40],
      lateShare: 0.05,
      lateMsMax: 3000,
      lossShare: 0.1,
      duplicateShare: 0.03,
    },
  },
);

/** Leaders that resign all the time, with healthy members. */
const moving: Scenario = {
  ...calm,
  name: 'moving',
  draining: { ms: [0, 800], neverShare: 0, timeoutMs: 3000 },
  perMinute: { resign: 20, edict: 10 },
  bounds: {
    leaderlessShare: 0.02,
    needlessMovesPerHour: 0,
    renewalGapsPerHour: 0,
    slowHandoverShare: 0.05,
  },
};

const drifting: readonly Scenario[] = [
  rainy,
  calm,
  {
    ...calm,
    name: 'crashes',
    perMinute: { amnesia: 2, restart: 2, edict: 10 },
    bounds: { needlessMovesPerHour: 4 },
  },
  stormy,
  moving,
  rainyWith('amnesiac', { amnesia: 8 }),
  rainyWith('wiped', { amnesia: 8 }, { mayForgetAll: true, wallOffsetMsMax: 200 }),
  rainyWith('partitions', { resign: 4 }, { partitions: 3 }),
  rainyWith('reconfigured', { reconfigure: 6, amnesia: 3 }),
  rainyWith('three', { amnesia: 4 }, { nodes: 3, newcomers: 2 }),
  { ...rainy, name: 'four', nodes: 4, newcomers: 1 },
  {
    ...calm,
    name: 'shared',
    partitions: 8,
    perMinute: { amnesia: 0.5, restart: 0.5, look: 60 },
    bounds: { sharingMovesPerHour: 60, unevenShare: 0.3 },
  },
  {
    ...stormy,
    name: 'reborn',
    nodes: 3,
    newcomers: 0,
    keeps: ['grants'],
    network: { ...stormy.network, lateShare: 0.2 },
    draining: { ms: [0, 100], neverShare: 0, timeoutMs: 3000 },
    perMinute: { restart: 30, resign: 40 },
  },
  rainyWith('edicts', { edict: 120, restart: 4, resign: 6 }),
  {
    ...moving,
    name: 'busy-hand-overs',
    perMinute: { resign: 40, edict: 3000, drift: 2 },
    bounds: {},
  },
  rainyWith('verified', { verify: 60, resign: 6 }),
  {
    ...stormy,
    name: 'torn',
    nodes: 3,
    outage: [1, 10],
    perMinute: {
      ...stormy.perMinute,
      amnesia: 10,
      restart: 10,
      partition: 6,
      isolate: 6,
      reconfigure: 3,
    },
  },
  {
    ...calm,
    name: 'urged',
    nodes: 4,
    perMinute: { amnesia: 8, find: 600, edict: 10 },
    bounds: { failedCampaignShare: 0.011 },
  },
  {
    ...rainy,
    name: 'torn-epochs',
    nodes: 3,
    newcomers: 1,
    outage: [1, 4],
    network: { ...rough, lossShare: 0.1 },
    perMinute: { restart: 40, partition: 20, reconfigure: 20, drift: 2 },
  },
  // One voter, which forgets leases of the maximum length. No other member can restore its memory,
  // so its silence is the only protection. The silence matters if the leader cannot reach the voter
  // and clocks reach their limits in time.
  {
    ...rainy,
    name: 'lone-voter',
    nodes: 3,
    newcomers: 0,
    voters: 1,
    driftRate: 0.2,
    skewMs: 600,
    mayForgetAll: true,
    wallOffsetMsMax: 200,
    leaseMsMax: 1000,
    leaseSpread: [0],
    network: quick,
    outage: [0.5, 1.3],
    keeps: ['hard-state'],
    perMinute: {
      amnesia: 60,
      pause: 40,
      partition: 30,
      isolate: 30,
      tie: 30,
      drift: 180,
      'wall-step': 300,
    },
  },
  // One voter, which may lead by its own vote alone, and writes to a slow disk.
  {
    ...rainy,
    name: 'lone-slow-disk',
    nodes: 3,
    newcomers: 0,
    voters: 1,
    outage: [0.2, 2],
    keeps: ['grants'],
    draining: { ms: [0, 800], neverShare: 0.3, timeoutMs: 1000 },
    perMinute: { hang: 30, resign: 20, pause: 6, drift: 2 },
  },
  // Groups in which few members have a directory, or lose it, or cannot write to it. In some, many
  // members request changes.
  rainyWith(
    'diskless',
    { restart: 10, partition: 4, reconfigure: 4 },
    {
      nodes: 3,
      newcomers: 2,
      keeps: ['nothing', 'hard-state', 'hard-state', 'nothing', 'hard-state'],
    },
  ),
  rainyWith(
    'lost-disks',
    { restart: 4, copy: 8, restore: 3, wipe: 3, reconfigure: 6 },
    { outage: [0.2, 2] },
  ),
  {
    ...rainy,
    name: 'torn-disks',
    nodes: 3,
    newcomers: 1,
    outage: [1, 4],
    keeps: ['hard-state'],
    network: { ...rough, lossShare: 0.1 },
    perMinute: {
      restart: 20,
      copy: 10,
      restore: 10,
      wipe: 10,
      partition: 20,
      reconfigure: 20,
      drift: 2,
    },
  },
  // The epoch cannot end, because three of five members have no directory. Elections still succeed
  // while the other members may grant.
  {
    ...calm,
    name: 'unendable',
    keeps: ['nothing', 'hard-state', 'nothing', 'hard-state', 'nothing'],
    perMinute: { amnesia: 6, reconfigure: 4, edict: 10 },
    bounds: { leaderlessShare: 0.05 },
  },
  rainyWith('slow-disks', { hang: 20, restart: 4, reconfigure: 2 }, { outage: [0.1, 2] }),
  {
    ...rainy,
    name: 'disputed',
    newcomers: 1,
    network: { ...rough, delayMs: [1, 200], lateShare: 0.3, lateMsMax: 1500, lossShare: 0.2 },
    outage: [0.1, 1],
    keeps: ['grants'],
    lesserShare: 1,
    perMinute: { drift: 2, pause: 30, restart: 10, reconfigure: 60 },
  },
  // Members report running epochs that were never decided (N13).
  rainyWith('slandered', { lie: 20, reconfigure: 2 }),
  // Members without durable state restart one by one with another configuration, and some later
  // return to the first (R4). No links break: a newcomer that cannot reach the others cannot detect
  // their configuration.
  {
    ...calm,
    name: 'redeployed',
    nodes: 3,
    newcomers: 2,
    otherConfigs: [
      { members: 5, leaseMsMax: 2000 },
      { members: 3, leaseMsMax: 1000 },
    ],
    keeps: ['nothing'],
    mayForgetAll: true,
    wallOffsetMsMax: 200,
    outage: [0.2, 2],
    perMinute: { redeploy: 12, resign: 4, drift: 2 },
    bounds: {},
  },
  // Round trips take up to a quarter of the lease, and pings are more frequent than that, as in
  // production. The maximum lease equals the usual lease. Members forget their grants in every
  // restart.
  {
    ...calm,
    name: 'far',
    nodes: 3,
    leaseMsMax: 1000,
    network: distant,
    pingShare: 1 / 10,
    keeps: ['nothing'],
    outage: [0.2, 2],
    perMinute: { amnesia: 2, edict: 10, resign: 1 },
    bounds: { leaderlessShare: 0.3 },
  },
  // Like `far`, but messages are late, lost or duplicated, and members lose their memory all the
  // time, one after the other.
  {
    ...rainy,
    name: 'far-amnesiac',
    newcomers: 0,
    leaseMsMax: 1000,
    leaseSpread: [0],
    network: { ...distant, lateShare: 0.2, lateMsMax: 1500, lossShare: 0.02, duplicateShare: 0.05 },
    pingShare: 1 / 10,
    keeps: ['nothing'],
    outage: [0.1, 1],
    perMinute: { amnesia: 60, pause: 4, resign: 6, drift: 2, 'wall-step': 30 },
  },
  {
    ...calm,
    name: 'deaf',
    outage: [10, 30],
    perMinute: { deafen: 2.5, edict: 10 },
    bounds: { leaderlessShare: 0.075 },
  },
  {
    ...calm,
    name: 'tied',
    outage: [4, 20],
    perMinute: { tie: 3, edict: 10 },
    bounds: { leaderlessShare: 0.15 },
  },
];

/** Returns the scenario with synchronised clocks, which run at any rate but differ by at most Δ. */
function synchronised(scenario: Scenario): Scenario {
  const skewMs = Math.max(scenario.skewMs, usualSkewMs);
  return {
    ...scenario,
    clocks: 'skew',
    skewMs,
    wallOffsetMsMax: skewMs / 2,
    perMinute: { 'wall-step': 6, ...scenario.perMinute },
  };
}

/** Typical Δ of clocks that are synchronised over a network, in milliseconds. */
const usualSkewMs = 100;

/** All scenarios of each variant of the protocol. The first has the default faults. */
export const scenarios: Readonly<Record<Scenario['clocks'], readonly Scenario[]>> = {
  drift: drifting,
  skew: drifting.map(synchronised),
};
