import { setTimeout as pause } from 'node:timers/promises';
import { type Contradiction, contradictions } from '@leadership/testkit/faults';
import { type Chronicle, chronicle } from './chronicle.ts';
import { assemble, dismiss, type Post } from './crew.ts';
import { deeds } from './deeds.ts';
import { dice } from './dice.ts';
import type { Ground, Scene } from './ground.ts';
import { ledNow } from './led-now.ts';
import type { SoakSettings } from './settings.ts';

/** What came of a soak. */
export interface SoakReport {
  readonly settings: SoakSettings;
  /** In words. */
  readonly ground: string;
  readonly tookMs: number;
  readonly chronicle: Chronicle;
  /** The promises that were seen broken. */
  readonly contradictions: readonly Contradiction[];
  /** Everything that must not be: a sentence for each contradiction, and for each member that failed by itself. */
  readonly broken: readonly string[];
}

/** How long nothing new is done after each deed. In T. */
const restThresholds = { least: 0.05, most: 0.4 };
/** How often is told how far it is: every few minutes. In turns. */
const tellEvery = 500;

/** Lets members of one group contend while faults befall them. Rejects where a member fails; judges what the others told. */
export async function soak(settings: SoakSettings, ground: Ground, tell: (line: string) => void = () => undefined): Promise<SoakReport> {
  const beganAt = performance.now();
  const stage = { settings, ground, dice: dice(settings.seed), chronicle: chronicle() };
  await using crew = await assemble(stage);
  const scene = { ...stage, crew };
  await everythingIsLed(scene);
  await befall(scene, tell);
  await everythingIsLed(scene);
  await dismiss(crew, scene.chronicle);
  const tookMs = performance.now() - beganAt;
  const found = contradictions(stage.chronicle.reigns);
  const broken = [...found.map(({ sentence }) => sentence), ...stage.chronicle.failures];
  return { settings, ground: ground.name, tookMs, chronicle: stage.chronicle, contradictions: found, broken };
}

/** Does one thing after the other, and several at once, until the time is over and everything done. */
async function befall(scene: Scene, tell: (line: string) => void): Promise<void> {
  const { settings, dice: chance, chronicle: told } = scene;
  const until = performance.now() + settings.durationMs;
  const strike = striking(scene);
  const going = new Set<Promise<void>>();
  let failed: { readonly error: unknown } | undefined;
  for (let count = 1; performance.now() < until && failed === undefined; count += 1) {
    const deed = begin(scene, strike, count).catch((error: unknown) => {
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

async function begin(scene: Scene, strike: () => Promise<void>, count: number): Promise<void> {
  const { settings, ground, dice: chance, crew, chronicle: told } = scene;
  const { leftAlone = 2 } = settings;
  if (count % ground.blowEvery === 0) return strike();
  const idle = crew.posts.filter(({ busy }) => !busy);
  if (idle.length <= leftAlone) return;
  const post = chance.pick(idle);
  const [name, deed] = chance.pick(Object.entries({ ...deeds, ...ground.deeds }));
  post.busy = true;
  told.count(`fault: ${name}`);
  await deed(scene, post);
  post.busy = false;
}

/** What befalls the ground comes alone: no next blow before the last one is over. */
function striking(scene: Scene): () => Promise<void> {
  const { ground, dice: chance, chronicle: told } = scene;
  let isStruck = false;
  return async () => {
    if (isStruck) return;
    const [name, blow] = chance.pick(Object.entries(ground.blows));
    told.count(`fault: ${name}`);
    isStruck = true;
    await blow(scene);
    isStruck = false;
  };
}

/** How long a group that nothing befalls may take to be led again, for a starved machine. Milliseconds. */
const patienceMs = 60_000;

/** Resolves once every partition has a leader among the living. */
async function everythingIsLed({ settings, crew, chronicle: told }: Scene): Promise<void> {
  const until = performance.now() + patienceMs;
  for (let led = 0; led < settings.partitions; ) {
    if (performance.now() > until)
      throw new Error(
        [`only ${led} of ${settings.partitions} partitions are led ${patienceMs} ms after the last fault`, ...told.failures]
          .concat(crew.posts.map(lastWords))
          .join('\n'),
      );
    await pause(settings.thresholdMs / 10);
    const nowNs = process.hrtime.bigint();
    led = new Set(crew.posts.flatMap(({ member }) => ledNow(member.events, nowNs))).size;
  }
}

/** So many of a member's last events are shown where it does not lead. */
const wordsMax = 8;

function lastWords({ name, member }: Post): string {
  const words = member.events.slice(-wordsMax).map(({ kind, partition, detail }) => [kind, partition, detail].filter(isSaid).join(' '));
  return `${name}: ${words.join('; ')}`;
}

const isSaid = (word: unknown): boolean => word !== undefined;
