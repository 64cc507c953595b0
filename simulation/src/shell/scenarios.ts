import { quick } from '../kernel/network.ts';
import { type Variants, variantsOf } from '../kernel/scenario.ts';
import { denying, lossy, patient, slow, usual as usualRows } from '../rows/scenarios.ts';
import type { Scenario } from './world.ts';

const usual: Scenario = {
  ...usualRows,
  roughThresholds: 90,
  calmThresholds: 45,
  polls: false,
  throwsShare: 0.1,
};

const scenario: Variants<Scenario> = variantsOf(usual);

/** The worlds. The first has the usual faults. */
export const scenarios: readonly Scenario[] = [
  usual,
  scenario('mixed-thresholds', {}, { mixedThresholds: true, changesMax: 3 }),
  scenario('slow', { cut: 4, pause: 4 }, { network: slow }),
  scenario('rows-removed', { 'row-removed': 12 }, lossy),
  scenario('history-lost', { 'history-lost': 4, 'old-copy': 2 }, lossy),
  scenario(
    'late-work',
    { resign: 8, pause: 4 },
    { draining: { ms: [0, 400], neverShare: 0.3, timeoutMs: 300 }, throwsShare: 0.3 },
  ),
  scenario('poll', { 'row-removed': 2 }, { ...lossy, polls: true, readsFirst: true }),
  scenario(
    'poll, history-lost',
    { 'history-lost': 4 },
    { ...lossy, polls: true, readsFirst: true },
  ),
  scenario(
    'floor',
    { wiped: 4, 'no-floor': 3, resign: 4 },
    { hasFloor: true, wallOffsetMsMax: 6000 },
  ),
  scenario('guarded', { restart: 5 }, { isGuarded: true }),
  scenario('read-only', denying, { ...patient, network: quick }),
  scenario('poll, read-only', denying, {
    ...patient,
    network: quick,
    polls: true,
    readsFirst: true,
  }),
  scenario('log', { 'leader-changed': 1 }, { isLog: true, copyEvery: 20 }),
  scenario('many', { leave: 4 }, { partitions: 40, changesMax: 8 }),
];
