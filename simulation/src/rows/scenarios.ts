import { quick, rough } from '../kernel/network.ts';
import { type Variants, variantsOf } from '../kernel/scenario.ts';
import { type FaultKind, type Scenario, usualSize } from './scenario.ts';

const usualFaults: Readonly<Partial<Record<FaultKind, number>>> = {
  restart: 1.5,
  pause: 1.5,
  cut: 1.5,
  leave: 0.5,
  resign: 1,
  drift: 1,
  'wall-step': 0.5,
};

export const usual: Scenario = {
  name: 'register',
  nodes: usualSize.nodes,
  partitions: usualSize.partitions,
  thresholdMs: usualSize.thresholdMs,
  driftRate: 0.05,
  network: { ...rough, lateMsMax: 2000 },
  draining: { ms: [0, 100], neverShare: 0.05, timeoutMs: 300 },
  wallOffsetMsMax: 1500,
  outage: [0.2, 3],
  perMinute: usualFaults,
  roughThresholds: 540,
  calmThresholds: 60,
  mixedThresholds: false,
  areTwins: false,
  readsFirst: false,
  readsAgain: false,
  readsAfter: false,
  isSilent: false,
  isLog: false,
  copyEvery: 60,
  changesMax: 256,
  hasFloor: false,
  isGuarded: false,
  hasGuard: false,
  isWatched: false,
  partitionsMax: [],
  looksTwice: false,
  leaderlessShareMax: 1,
};

const scenario: Variants<Scenario> = variantsOf(usual);

/**
 * Where tokens are lost, only wall clocks keep them growing: they may differ by less than the wait
 * that follows a loss.
 */
export const lossy: Partial<Scenario> = { wallOffsetMsMax: 400 };

/** Requests that are often late, but not for long. */
export const slow: Scenario['network'] = { ...rough, lateShare: 0.15, lateMsMax: 300 };

/** A store that reads, makes each change at an instant of its own, and reads again. */
const againAfter = { readsFirst: true, readsAgain: true } as const;

/** A store that its reader follows: it makes each change at an instant of its own, and reads then. */
const onlyAfter = { readsFirst: true, readsAfter: true } as const;

/** Answers that are often lost. */
const lost: Scenario['network'] = { ...rough, lossShare: 0.15 };

/** A store that often loses its history, among members that often resign and live on. */
const forgetting = { 'history-lost': 12, resign: 12, restart: 0, pause: 0 } as const;

/** A store whose copies take over again and again, among members that often resign and reach it. */
const copied = { 'old-copy': 10, resign: 20, restart: 0, pause: 0, cut: 0 } as const;

/** A store that often loses its newest changes, and hides it. */
const hiding = { 'loss-hidden': 20, resign: 12, leave: 0 } as const;

/** A store that often makes no change of a member, or not all, among members that often leave. */
export const denying = { 'read-only': 4, leave: 6, resign: 4, restart: 0.5 } as const;

/** Faults that last, and more candidates than partitions: those without one leave notes. */
export const patient = { outage: [2, 12], nodes: 4, partitions: 3 } as const;

/** A log that its members often copy and cut, over a slow network. */
const shortLog = { ...lossy, isLog: true, copyEvery: 12, network: slow } as const;

/** Only crashes and leaves, with good clocks and a fast network: here it is judged what is needless. */
const calm: Scenario = {
  ...usual,
  name: 'calm',
  driftRate: 0.001,
  network: quick,
  draining: { ms: [0, 200], neverShare: 0, timeoutMs: 3000 },
  perMinute: { restart: 2, leave: 1 },
  leaderlessShareMax: 0.05,
  bounds: { renewalGapsPerHour: 0 },
};

/** Crashes, and every mistake about the sockets by which a guard observes members. */
const guardFaults: Scenario['perMinute'] = {
  restart: 6,
  leave: 3,
  'close-connection': 4,
  'close-listener': 6,
  'delete-socket': 6,
  expose: 1,
  stray: 6,
  'hang-up': 4,
};

/** The worlds. The first has the usual faults. */
export const scenarios: readonly Scenario[] = [
  usual,
  calm,
  {
    ...calm,
    name: 'crashes',
    partitions: 12,
    perMinute: { restart: 4 },
    bounds: { needlessMovesPerHour: 1, renewalGapsPerHour: 0 },
  },
  // A leader keeps its lease, if it tries again in time.
  {
    ...calm,
    name: 'briefly-cut',
    outage: [0.5, 0.6],
    perMinute: { cut: 12 },
    // Half an hour measured 4 to 14, where cuts overlap. With ever later retries: 261 to 280.
    bounds: { renewalGapsPerHour: 20 },
  },
  // Members come and go faster than a partition may follow.
  {
    ...calm,
    name: 'moving',
    outage: [0.1, 1],
    perMinute: { leave: 20 },
    leaderlessShareMax: 0.2,
    bounds: { needlessMovesPerHour: 1 },
  },
  {
    ...calm,
    name: 'long-drains',
    draining: { ms: [0, 2500], neverShare: 0, timeoutMs: 3000 },
    perMinute: { resign: 6, leave: 2 },
    bounds: { renewalGapsPerHour: 0 },
  },
  // Most members stand by, and are killed. The lists of all, and of an observer, follow.
  {
    ...calm,
    name: 'standbys',
    nodes: 6,
    partitions: 2,
    isWatched: true,
    perMinute: { restart: 6 },
    bounds: { renewalGapsPerHour: 0 },
  },
  scenario('several-m', {}, { otherPartitions: usualSize.partitions - 1 }),
  scenario('mixed-thresholds', {}, { mixedThresholds: true }),
  scenario('small-requests', {}, { changesMax: 3 }),
  scenario('many', { leave: 4 }, { partitions: 40, changesMax: 8 }),
  scenario('second-look', {}, { looksTwice: true, changesMax: 4 }),
  scenario('reads-first', {}, { readsFirst: true }),
  scenario('rows-removed', { 'row-removed': 12 }, lossy),
  // Members are shown new sessions while they read nothing, and then find their rows removed.
  scenario(
    'rows-removed, shown',
    { 'row-removed': 60, restart: 6, resign: 6, cut: 12 },
    { ...lossy, outage: [0.5, 4] },
  ),
  scenario('garbage', { garbage: 3 }, lossy),
  scenario('history-lost', { 'history-lost': 2 }, lossy),
  scenario('history-lost, reads-first', { 'history-lost': 2 }, { ...lossy, readsFirst: true }),
  scenario('forgetful', forgetting, {
    ...lossy,
    readsFirst: true,
    network: slow,
  }),
  scenario('polls', {}, { isSilent: true }),
  // Wall clocks agree, so polls follow renewals.
  {
    ...calm,
    name: 'polls, standbys',
    isSilent: true,
    wallOffsetMsMax: 0,
    nodes: 6,
    partitions: 2,
    isWatched: true,
    perMinute: { restart: 6 },
    bounds: { renewalGapsPerHour: 0 },
  },
  scenario('reads-again', { 'row-removed': 2 }, { ...lossy, ...againAfter }),
  scenario('forgetful, reads-again', forgetting, { ...lossy, ...againAfter, network: slow }),
  scenario('old-copy, reads-again', { ...copied, 'history-lost': 4 }, { ...lossy, ...againAfter }),
  scenario('reads-after', { 'row-removed': 2 }, { ...lossy, ...onlyAfter }),
  scenario('history-lost, reads-after', forgetting, { ...lossy, ...onlyAfter, network: slow }),
  scenario('old-copy, reads-after', { ...copied, 'history-lost': 4 }, { ...lossy, ...onlyAfter }),
  scenario('history-lost, often', forgetting, {
    ...lossy,
    network: slow,
  }),
  scenario(
    'history-lost, restarts',
    { 'history-lost': 30, restart: 40, resign: 30, leave: 0, pause: 0 },
    lossy,
  ),
  // Nothing shows the loss, so no member waits for it, and two may lead for T; but no longer.
  scenario('loss-hidden', hiding, { ...lossy, network: lost }),
  scenario('loss-hidden, reads-first', hiding, { ...lossy, readsFirst: true, network: lost }),
  scenario('loss-hidden, reads-again', hiding, { ...lossy, ...againAfter, network: lost }),
  scenario('loss-hidden, reads-after', hiding, { ...lossy, ...onlyAfter, network: lost }),
  scenario('old-copy', { 'old-copy': 3 }, lossy),
  scenario('old-copy, often', copied, lossy),
  scenario('muted', { muted: 2 }, { mixedThresholds: true }),
  scenario(
    'muted, long',
    { muted: 3, resign: 12, restart: 0, pause: 0, cut: 0, leave: 0 },
    {
      outage: [2, 12],
      leaderlessShareMax: 0.05,
    },
  ),
  // The store answers readings, and makes no change, or not all, while members leave.
  scenario('read-only', denying, {
    ...patient,
    network: quick,
    draining: { ms: [0, 2500], neverShare: 0.1, timeoutMs: 3000 },
  }),
  scenario('read-only, reads-first', denying, { ...patient, readsFirst: true }),
  scenario('read-only, reads-again', denying, { ...patient, ...againAfter }),
  scenario('read-only, reads-after', denying, { ...patient, ...onlyAfter, network: quick }),
  scenario('read-only, log', denying, { ...patient, isLog: true, network: quick }),
  scenario(
    'unanswered',
    { unanswered: 2, restart: 0, pause: 0, cut: 0, leave: 0, resign: 0 },
    { outage: [10, 20], readsFirst: true, leaderlessShareMax: 0.05 },
  ),
  scenario(
    'given-up-work',
    { resign: 6, pause: 4 },
    {
      draining: { ms: [0, 400], neverShare: 0.3, timeoutMs: 300 },
    },
  ),
  scenario(
    'given-up-work, rows removed',
    { resign: 12, 'row-removed': 20 },
    { ...lossy, draining: { ms: [0, 400], neverShare: 0.6, timeoutMs: 100 } },
  ),
  scenario('twins', {}, { areTwins: true }),
  // A process that starts, and reads no token but a hostile one, has only its wall clock.
  scenario('hostile-tokens', { 'hostile-token': 6, restart: 0, leave: 0 }),
  scenario('newer-kinds', { 'newer-kind': 12 }),
  scenario('edited-rows', { 'edited-row': 30, resign: 6 }, lossy),
  scenario('next-sessions', { 'next-session': 30, leave: 0, pause: 6 }),
  // Only the second place keeps tokens growing: wall clocks differ by more than the wait after a wipe.
  scenario(
    'floor',
    { wiped: 6, 'no-floor': 3, 'wall-step': 6, resign: 4 },
    { hasFloor: true, wallOffsetMsMax: 6000 },
  ),
  scenario(
    'floor, history-lost',
    { 'history-lost': 12, 'no-floor': 12, resign: 12, restart: 0, pause: 0 },
    { ...lossy, readsFirst: true, hasFloor: true },
  ),
  scenario('guarded', { restart: 5 }, { isGuarded: true }),
  scenario('guard', guardFaults, {
    hasGuard: true,
    draining: { ms: [0, 100], neverShare: 0.3, timeoutMs: 300 },
  }),
  scenario(
    'guard, history-lost',
    { ...guardFaults, 'history-lost': 4 },
    { ...lossy, hasGuard: true },
  ),
  scenario(
    'guard, log',
    { ...guardFaults, 'history-lost': 4 },
    { ...lossy, hasGuard: true, isLog: true },
  ),
  // Members leave whose connection was closed by mistake, while work that was given up goes on.
  scenario(
    'guard, unheard',
    { 'close-connection': 20, leave: 20, resign: 6, restart: 0 },
    { hasGuard: true, draining: { ms: [0, 400], neverShare: 0.6, timeoutMs: 100 } },
  ),
  // Two members without a limit share what those with one leave (M13).
  scenario(
    'limits',
    { leave: 3, resign: 6 },
    { nodes: 5, partitions: 9, partitionsMax: [1, 0, 2, 1, 0] },
  ),
  scenario(
    'limits, too few',
    { leave: 6, resign: 12 },
    { nodes: 4, partitions: 7, partitionsMax: [1, 1, 2, 1], changesMax: 8 },
  ),
  // More members than partitions, of which each leads one: the others stand by.
  scenario(
    'limits, slots',
    { leave: 4, resign: 8, restart: 4 },
    { nodes: 7, partitions: 3, partitionsMax: [1] },
  ),
  scenario(
    'limits, reads-first',
    { 'history-lost': 2, leave: 4, resign: 6 },
    { ...lossy, readsFirst: true, nodes: 4, partitions: 6, partitionsMax: [1, 2, 1] },
  ),
  scenario(
    'limits, log',
    { 'history-lost': 2, leave: 4, resign: 6 },
    { ...lossy, isLog: true, network: slow, nodes: 4, partitions: 6, partitionsMax: [1, 2, 1] },
  ),
  {
    ...usual,
    name: 'guard, crashes',
    hasGuard: true,
    network: quick,
    perMinute: { restart: 4 },
    draining: { ms: [0, 200], neverShare: 0, timeoutMs: 3000 },
    leaderlessShareMax: 0.006,
  },
  scenario(
    'log',
    { 'leader-changed': 1 },
    { isLog: true, copyEvery: 20, leaderlessShareMax: 0.05 },
  ),
  scenario('log, lost-tail', { 'history-lost': 2 }, { ...lossy, isLog: true }),
  scenario('log, lost-tail, often', forgetting, shortLog),
  scenario('log, recreated', { recreated: 12, resign: 12 }, shortLog),
  scenario('log, old-copy', { 'old-copy': 6, resign: 12 }, { ...lossy, isLog: true }),
  scenario(
    'log, wrong-copy',
    { 'wrong-copy': 4, 'row-removed': 2, garbage: 1 },
    { ...lossy, isLog: true },
  ),
  scenario(
    'log, cut',
    { 'prefix-lost': 8, restart: 8, 'leader-changed': 2, 'history-lost': 1 },
    shortLog,
  ),
  scenario('log, hostile', { 'wrong-copy': 30, 'prefix-lost': 10, restart: 10 }, shortLog),
  scenario('log, compacted', { compacted: 4, 'leader-changed': 2, restart: 6 }, shortLog),
];
