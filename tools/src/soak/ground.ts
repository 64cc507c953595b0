import type { ProcessMemberOptions } from '@leadership/testkit/faults';
import type { Chronicle } from './chronicle.ts';
import type { Crew, Post } from './crew.ts';
import type { Dice } from './dice.ts';
import type { SoakSettings } from './settings.ts';

/** What a soak's members stand on: a store, and the ways to it. Disposing leaves nothing. */
export interface Ground extends AsyncDisposable {
  /** In words. */
  readonly name: string;
  /** How the member of that name is opened. */
  seat(member: string): Pick<ProcessMemberOptions, 'url' | 'module'>;
  /** What can be done to a member here, beside what can be done to any process. */
  readonly deeds: Readonly<Record<string, Deed>>;
  /** What can befall the ground itself, one thing at a time. */
  readonly blows: Readonly<Record<string, Blow>>;
  /** In one of so many turns something befalls the ground. */
  readonly blowEvery: number;
}

/** Where and by whom something is done. */
export interface Scene {
  readonly settings: SoakSettings;
  readonly ground: Ground;
  readonly dice: Dice;
  readonly crew: Crew;
  readonly chronicle: Chronicle;
}

/** Something that is done to a member; over once the member is as good as before. */
export type Deed = (scene: Scene, post: Post) => Promise<void>;

/** Something that befalls everyone; over once the ground is as good as before. */
export type Blow = (scene: Scene) => Promise<void>;
