// The kinds of world there are. Drift is 5 % almost everywhere, fifty times what production assumes, so that a rule that forgets it is
// caught within seconds.
import { type Network, there } from '@leadership/testkit/world';
import type { Scenario } from './scenario.ts';

const rough: Network = { delayMs: [1, 12], lateShare: 0.01, lateMsMax: 3000, lossShare: 0.02, duplicateShare: 0.01 };
/** Round trips of up to a quarter of the lease. */
const distant: Network = { delayMs: [60, 125], lateShare: 0, lateMsMax: 0, lossShare: 0, duplicateShare: 0 };
const quick: Network = { delayMs: [1, 3], lateShare: 0, lateMsMax: 0, lossShare: 0, duplicateShare: 0 };

/** The default faults: processes, clocks and network misbehave, and the members change. */
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
  keeps: ['grants', 'vows', 'grants', 'nothing', 'vows', 'grants', 'nothing'],
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

/** Nothing but crashes, on good clocks and a quick network: what the counters of liveness are judged by. */
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
  // A quorum that lost its memory at once cannot renew: rare, and nothing to be done about.
  bounds: { leaderlessShare: 0.05, needlessMovesPerHour: 2, renewalGapsPerHour: 1 },
};

/** A network on its worst day. */
const stormy: Scenario = {
  ...rainy,
  name: 'stormy',
  network: { delayMs: [1, 40], lateShare: 0.05, lateMsMax: 3000, lossShare: 0.1, duplicateShare: 0.03 },
  perMinute: { ...rainy.perMinute, partition: 3, isolate: 3 },
};

/** Leaders that resign all the time, among members that are well. */
const moving: Scenario = {
  ...calm,
  name: 'moving',
  draining: { ms: [0, 800], neverShare: 0, timeoutMs: 3000 },
  perMinute: { resign: 20, edict: 10 },
  bounds: { leaderlessShare: 0.02, needlessMovesPerHour: 0, renewalGapsPerHour: 0, slowHandoverShare: 0.05 },
};

const drifting: readonly Scenario[] = [
  rainy,
  calm,
  { ...calm, name: 'crashes', perMinute: { amnesia: 2, restart: 2, edict: 10 }, bounds: { needlessMovesPerHour: 4 } },
  stormy,
  moving,
  { ...rainy, name: 'amnesiac', perMinute: { ...rainy.perMinute, amnesia: 8 } },
  { ...rainy, name: 'wiped', mayForgetAll: true, wallOffsetMsMax: 200, perMinute: { ...rainy.perMinute, amnesia: 8 } },
  { ...rainy, name: 'partitions', partitions: 3, perMinute: { ...rainy.perMinute, resign: 4 } },
  { ...rainy, name: 'reconfigured', perMinute: { ...rainy.perMinute, reconfigure: 6, amnesia: 3 } },
  { ...rainy, name: 'three', nodes: 3, newcomers: 2, perMinute: { ...rainy.perMinute, amnesia: 4 } },
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
  { ...rainy, name: 'edicts', perMinute: { ...rainy.perMinute, edict: 120, restart: 4, resign: 6 } },
  { ...moving, name: 'busy-hand-overs', perMinute: { resign: 40, edict: 3000, drift: 2 }, bounds: {} },
  { ...rainy, name: 'verified', perMinute: { ...rainy.perMinute, verify: 60, resign: 6 } },
  {
    ...stormy,
    name: 'torn',
    nodes: 3,
    outage: [1, 10],
    perMinute: { ...stormy.perMinute, amnesia: 10, restart: 10, partition: 6, isolate: 6, reconfigure: 3 },
  },
  { ...calm, name: 'urged', nodes: 4, perMinute: { amnesia: 8, find: 600, edict: 10 }, bounds: { vainShare: 0.011 } },
  {
    ...rainy,
    name: 'torn-epochs',
    nodes: 3,
    newcomers: 1,
    outage: [1, 4],
    network: { ...rough, lossShare: 0.1 },
    perMinute: { restart: 40, partition: 20, reconfigure: 20, drift: 2 },
  },
  // One voter, which forgets leases as long as any: nobody is left to learn from, and its silence is all there is. That counts where the
  // leader cannot reach it, and clocks come to their ends in time.
  {
    ...rainy,
    name: 'lone-voter',
    nodes: 3,
    newcomers: 0,
    voters: 1,
    driftRate: 0.2,
    skewMs: 300,
    mayForgetAll: true,
    wallOffsetMsMax: 200,
    leaseMsMax: 1000,
    leaseSpread: [0],
    network: quick,
    outage: [0.05, 1.3],
    keeps: ['vows'],
    perMinute: { amnesia: 90, pause: 40, partition: 30, isolate: 30, tie: 30, drift: 120, 'wall-step': 1500 },
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
  // Groups in which few have a directory, lose it, or cannot write to it; and some in which everybody wants other members.
  {
    ...rainy,
    name: 'diskless',
    nodes: 3,
    newcomers: 2,
    keeps: ['nothing', 'vows', 'vows', 'nothing', 'vows'],
    perMinute: { ...rainy.perMinute, restart: 10, partition: 4, reconfigure: 4 },
  },
  {
    ...rainy,
    name: 'lost-disks',
    outage: [0.2, 2],
    perMinute: { ...rainy.perMinute, restart: 4, copy: 8, restore: 3, wipe: 3, reconfigure: 6 },
  },
  {
    ...rainy,
    name: 'torn-disks',
    nodes: 3,
    newcomers: 1,
    outage: [1, 4],
    keeps: ['vows'],
    network: { ...rough, lossShare: 0.1 },
    perMinute: { restart: 20, copy: 10, restore: 10, wipe: 10, partition: 20, reconfigure: 20, drift: 2 },
  },
  // Nobody can end the epoch: three of five have no directory. They elect, whichever of them may be away, as long as the others may grant.
  {
    ...calm,
    name: 'unendable',
    keeps: ['nothing', 'vows', 'nothing', 'vows', 'nothing'],
    perMinute: { amnesia: 6, reconfigure: 4, edict: 10 },
    bounds: { leaderlessShare: 0.05 },
  },
  { ...rainy, name: 'slow-disks', outage: [0.1, 2], perMinute: { ...rainy.perMinute, hang: 20, restart: 4, reconfigure: 2 } },
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
  // Members say that epochs run that nobody has decided on (N13).
  { ...rainy, name: 'slandered', perMinute: { ...rainy.perMinute, lie: 20, reconfigure: 2 } },
  // Members without stored state are restarted one by one with another configuration, and some of them back again (R4). Nothing is cut:
  // a newcomer that cannot reach the others cannot know of them.
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
  // Round trips take up to a quarter of the lease, and pings are sent more often than that, as in production. The longest lease is the usual
  // one. Members forget what they granted whenever they start.
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
  // The same where messages are late, lost and there twice, and members forget all the time, one after the other.
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
  { ...calm, name: 'deaf', outage: [10, 30], perMinute: { deafen: 2.5, edict: 10 }, bounds: { leaderlessShare: 0.075 } },
  { ...calm, name: 'tied', outage: [4, 20], perMinute: { tie: 3, edict: 10 }, bounds: { leaderlessShare: 0.15 } },
];

/** Clocks that are synchronised: they run at any rate, and differ by Δ at most. */
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

/** Synchronised over a network, not by a clock of one's own. */
const usualSkewMs = 100;

/** Every scenario of one of the two protocols, the default faults first. */
export const scenarios: Readonly<Record<Scenario['clocks'], readonly Scenario[]>> = {
  drift: drifting,
  skew: drifting.map(synchronised),
};

/** The scenario of that name. */
export function scenarioNamed(clocks: Scenario['clocks'], name: string): Scenario {
  return there(scenarios[clocks].find((scenario) => scenario.name === name));
}
