import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'vitest';
import type { Application, Place, Scene } from './scene.ts';

/** An application, what happens to it, and where its source runs. */
export type Victim = readonly [what: string, place: Place];

/** The victims on one backend. */
export interface Victims {
  /** The beginning of the names of their groups. */
  readonly prefix: string;
  url(group: string): string;
  /** How applications die. */
  readonly deaths: readonly Victim[];
  /** Events that do not prove a death. */
  readonly mistakes: readonly Victim[];
}

/** Every way to die. */
export const everyDeath: readonly Victim[] = [
  ['killed', 'main'],
  ['throw', 'main'],
  ['exit', 'main'],
  ['killed-cluster', 'cluster'],
  ['killed-thread', 'thread'],
];

/** Everything that does not prove a death. */
export const everyMistake: readonly Victim[] = [
  ['stopped', 'main'],
  ['block', 'main'],
  ['close-connection', 'main'],
  ['close-listener', 'main'],
  ['unlink', 'main'],
  ['terminated', 'thread'],
];

/** Starts every victim. Resolves once each leads the group of its name. */
export async function startVictims(
  scene: Scene,
  groups: readonly Victims[],
): Promise<ReadonlyMap<string, Application>> {
  const started = new Map(
    groups.flatMap(({ prefix, url, deaths, mistakes }) =>
      [...deaths, ...mistakes].map(([what, place]) => {
        const name = prefix + what;
        return [name, scene.start(name, place, [url(name)])] as const;
      }),
    ),
  );
  for (const name of started.keys()) await scene.noted(name, 'lead');
  return started;
}

/** Starts an application that stands by in the groups of all victims. */
export async function startSuccessor(scene: Scene, groups: readonly Victims[]): Promise<void> {
  const every = groups.flatMap((group) =>
    [...group.deaths, ...group.mistakes].map(([what]) => [group, group.prefix + what] as const),
  );
  scene.start(
    'successor',
    'main',
    every.map(([group, name]) => group.url(name)),
  );
  for (const [, name] of every) await scene.noted('successor', 'ready', name);
}

/** Lets everything happen at once. */
export async function disturb(
  scene: Scene,
  groups: readonly Victims[],
  started: ReadonlyMap<string, Application>,
): Promise<void> {
  for (const { prefix, deaths, mistakes } of groups)
    for (const [what] of [...deaths, ...mistakes]) {
      const name = prefix + what;
      const child = started.get(name)?.process;
      switch (what) {
        case 'killed':
        case 'killed-thread':
          child?.kill('SIGKILL');
          break;
        case 'killed-cluster':
          process.kill((await scene.noted(name, 'lead')).pid, 'SIGKILL');
          break;
        case 'stopped':
          child?.kill('SIGSTOP');
          break;
        case 'terminated':
          writeFileSync(join(scene.directory, `${name}.terminate`), '');
          break;
        default:
          scene.order(name, what);
      }
    }
}

/** Asserts that the successor led early after each death, and after nothing else. */
export async function expectProof(scene: Scene, groups: readonly Victims[]): Promise<void> {
  for (const { prefix, deaths } of groups)
    for (const [what] of deaths) {
      const name = prefix + what;
      const { atNs } = await scene.noted('successor', 'lead', name);
      const end = scene.leaseEndNs(name);
      expect(atNs, `${name} does not wait for its lease\n${scene.story(name)}`).toBeLessThan(end);
    }
  for (const { prefix, mistakes } of groups)
    for (const [what] of mistakes) {
      const name = prefix + what;
      const { atNs } = await scene.noted('successor', 'lead', name);
      const end = scene.leaseEndNs(name);
      expect(atNs, `${name} waits for its lease\n${scene.story(name)}`).toBeGreaterThanOrEqual(end);
    }
}
