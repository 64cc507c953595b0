import { type ProcessMember, spawnMember } from '@leadership/testkit/faults';
import type { Chronicle } from './chronicle.ts';
import type { Dice } from './dice.ts';
import type { Ground, Scene } from './ground.ts';
import type { SoakSettings } from './settings.ts';

/** A member's place in the group: a name, and one life after the other. */
export interface Post {
  readonly name: string;
  member: ProcessMember;
  /** Something is being done to it. */
  busy: boolean;
}

/** The group of a soak. Disposing kills whoever is left. */
export interface Crew extends AsyncDisposable {
  readonly posts: readonly Post[];
  /** Starts the name's next life, once the last one is over. */
  restart(post: Post): Promise<void>;
}

/** Starts everyone. */
export async function assemble({ settings, ground, dice, chronicle }: Omit<Scene, 'crew'>): Promise<Crew> {
  const start = async (name: string): Promise<ProcessMember> => {
    const member = await startMember(settings, ground, dice, name);
    chronicle.began(member);
    return member;
  };
  const names = Array.from({ length: settings.members }, (_, index) => `m${index + 1}`);
  const posts: Post[] = await Promise.all(names.map(async (name) => ({ name, member: await start(name), busy: false })));
  return {
    posts,
    async restart(post) {
      post.member = await start(post.name);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(posts.map(({ member }) => member.kill()));
    },
  };
}

/** Everyone ends in order, and by itself. */
export async function dismiss(crew: Crew, chronicle: Chronicle): Promise<void> {
  for (const { member } of crew.posts) {
    await member.close();
    chronicle.ended(member);
  }
}

/** Each life has its own kind of work: some settles at once, some takes a while, some has to be fenced (H2, H3). */
function startMember({ partitions, thresholdMs }: SoakSettings, ground: Ground, dice: Dice, member: string): Promise<ProcessMember> {
  const drainMs = Math.round(dice.between(0, thresholdMs / 2));
  const work = dice.pick([{ kind: 'idle' }, { kind: 'drain', drainMs }, { kind: 'drain', drainMs: 5 }, { kind: 'stuck' }] as const);
  const options = { member, partitions, thresholdMs, drainTimeoutMs: thresholdMs };
  return spawnMember({ ...ground.seat(member), options, work });
}
