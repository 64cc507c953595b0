import { setTimeout as pause } from 'node:timers/promises';
import { type Contradiction, contradictions } from '@leadership/testkit/faults';
import { type Chronicle, chronicle } from './chronicle.ts';
import { assemble, type Crew, dismiss } from './crew.ts';
import { deeds, deleteState, type Scene } from './deeds.ts';
import { dice } from './dice.ts';
import { ledNow } from './led-now.ts';
import type { SoakSettings } from './settings.ts';

/** What came of a soak. */
export interface SoakReport {
  readonly settings: SoakSettings;
  readonly tookMs: number;
  readonly chronicle: Chronicle;
  /** The promises that were seen broken. */
  readonly contradictions: readonly Contradiction[];
}

/** So many members at most have something done to them at once: two are left to lead. */
const leftAlone = 2;
/** How long nothing new is done after each deed. In T. */
const restThresholds = { least: 0.05, most: 0.4 };
/** How often is told how far it is: every few minutes. In turns. */
const tellEvery = 500;
/** One in so many turns deletes the group's state. */
const deletionEvery = 40;

/** Lets members of one group contend while faults befall them. Rejects where a member fails; judges what the others told. */
export async function soak(settings: SoakSettings, tell: (line: string) => void = () => undefined): Promise<SoakReport> {
  const beganAt = performance.now();
  const chance = dice(settings.seed);
  await using crew = await assemble(settings, chance);
  const scene = { settings, dice: chance, crew, chronicle: chronicle() };
  await everythingIsLed(scene);
  await befall(scene, tell);
  await everythingIsLed(scene);
  await dismiss(crew, scene.chronicle);
  const tookMs = performance.now() - beganAt;
  return { settings, tookMs, chronicle: scene.chronicle, contradictions: contradictions(scene.chronicle.reigns) };
}

/** Does one thing after the other, and several at once, until the time is over and everything done. */
async function befall(scene: Scene, tell: (line: string) => void): Promise<void> {
  const { settings, dice: chance, chronicle: told } = scene;
  const until = performance.now() + settings.durationMs;
  const going = new Set<Promise<void>>();
  let failed: { readonly error: unknown } | undefined;
  for (let count = 1; performance.now() < until && failed === undefined; count += 1) {
    const deed = begin(scene, count).catch((error: unknown) => {
      failed ??= { error };
    });
    going.add(deed);
    void deed.then(() => going.delete(deed));
    await pause(chance.between(restThresholds.least, restThresholds.most) * settings.thresholdMs);
    if (count % tellEvery === 0) tell(`${told.reigns.length} terms of ${told.counts.get('lives') ?? 0} lives so far`);
  }
  await Promise.all(going);
  if (failed) throw failed.error;
}

async function begin(scene: Scene, count: number): Promise<void> {
  const { settings, dice: chance, crew, chronicle: told } = scene;
  if (count % deletionEvery === 0) {
    told.count('fault: state deleted');
    await deleteState(settings);
    return;
  }
  const idle = crew.posts.filter(({ busy }) => !busy);
  if (idle.length <= leftAlone) return;
  const post = chance.pick(idle);
  const [name, deed] = chance.pick(Object.entries(deeds));
  post.busy = true;
  told.count(`fault: ${name}`);
  await deed(scene, post);
  post.busy = false;
}

/** How long a group that nothing befalls may take to be led again, for a starved machine. Milliseconds. */
const patienceMs = 60_000;

/** Resolves once every partition has a leader among the living. */
async function everythingIsLed({ settings, crew }: { readonly settings: SoakSettings; readonly crew: Crew }): Promise<void> {
  const until = performance.now() + patienceMs;
  for (let led = 0; led < settings.partitions; ) {
    if (performance.now() > until)
      throw new Error(`only ${led} of ${settings.partitions} partitions are led ${patienceMs} ms after the last fault`);
    await pause(settings.thresholdMs / 10);
    const nowNs = process.hrtime.bigint();
    led = new Set(crew.posts.flatMap(({ member }) => ledNow(member.events, nowNs))).size;
  }
}
