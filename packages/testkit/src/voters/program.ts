// The voters of every group, in a process of their own, like brokers: faults of a member's process
// do not affect them. They are notified of members that start and end, and run while any member
// does, and a while longer. Started as `node program.js DIRECTORY MODULE NAME,NAME,…`.
import type { LeadershipSource } from '@leadership/core';
import type { OpenVoter, VoterOptions } from './open-voter.ts';

/** A message from the parent. */
export type VoterCommand =
  | { readonly kind: 'enter'; readonly group: string; readonly options: VoterOptions }
  | { readonly kind: 'leave' | 'forget' | 'lose' | 'regain'; readonly group: string };

interface Registry {
  readonly options: VoterOptions;
  present: number;
  places: LeadershipSource[];
  lost: Promise<void>[];
  timer: NodeJS.Timeout | undefined;
}

const [directory = '', module = '', list = ''] = process.argv.slice(2);
const voters = list.split(',');
const { openVoter } = (await import(module)) as { readonly openVoter: OpenVoter };
const lingerMs = 8_000;
const boards = new Map<string, Registry>();

process.on('disconnect', () => process.exit());
process.on('message', (command: VoterCommand) => {
  if (command.kind === 'enter') return enter(command.group, command.options);
  const registry = boards.get(command.group);
  if (registry === undefined) return;
  if (command.kind === 'leave') leave(command.group, registry);
  else if (command.kind === 'lose') lose(registry);
  else if (command.kind === 'regain') void recover(command.group, registry);
  else void forget(command.group, registry);
});
process.send?.({ kind: 'listens' });

function enter(group: string, options: VoterOptions): void {
  const registry = boards.get(group) ?? {
    options,
    present: 0,
    places: [],
    lost: [],
    timer: undefined,
  };
  boards.set(group, registry);
  clearTimeout(registry.timer);
  registry.present += 1;
  if (registry.places.length === 0) registry.places = placed(group, registry.options);
}

function leave(group: string, registry: Registry): void {
  registry.present -= 1;
  if (registry.present > 0) return;
  registry.timer = setTimeout(() => {
    for (const source of registry.places) void source.close();
    boards.delete(group);
  }, lingerMs);
}

/** Restarts all of them without memory at once. */
async function forget(group: string, registry: Registry): Promise<void> {
  await Promise.all(registry.places.map((source) => source.close()));
  registry.places = placed(group, registry.options);
  process.send?.({ kind: 'forgotten', group });
}

/** Ends all but one of them. */
function lose(registry: Registry): void {
  registry.lost = registry.places.splice(1).map((source) => source.close());
}

/** Starts the lost ones again, without memory, once they have ended. */
async function recover(group: string, registry: Registry): Promise<void> {
  await Promise.all(registry.lost);
  registry.places.push(...placed(group, registry.options, voters.slice(1)));
}

function placed(group: string, options: VoterOptions, names = voters): LeadershipSource[] {
  return names.map((member) => openVoter({ directory, group, member, options }));
}
