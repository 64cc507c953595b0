// The program of the voters' process in tests: the voters of every group, like brokers: faults of a
// member's process do not affect them. They are notified of members that start and end, and run
// while any member does, and a while longer. Started as `node program.js DIRECTORY MODULE
// NAME,NAME,…`.
import type { LeadershipSource } from '@leadership/core';
import type { OpenVoter, VoterOptions } from './open-voter.ts';

/** A message from the parent. */
export type VoterCommand =
  | { readonly kind: 'enter'; readonly group: string; readonly options: VoterOptions }
  | { readonly kind: 'leave' | 'forget' | 'lose' | 'regain'; readonly group: string };

interface VoterGroup {
  readonly options: VoterOptions;
  present: number;
  sources: LeadershipSource[];
  lost: Promise<void>[];
  timer: NodeJS.Timeout | undefined;
}

const [directory = '', module = '', list = ''] = process.argv.slice(2);
const voters = list.split(',');
const { openVoter } = (await import(module)) as { readonly openVoter: OpenVoter };
const lingerMs = 8_000;
const groups = new Map<string, VoterGroup>();

process.on('disconnect', () => process.exit());
process.on('message', (command: VoterCommand) => {
  if (command.kind === 'enter') return enter(command.group, command.options);
  const voterGroup = groups.get(command.group);
  if (voterGroup === undefined) return;
  if (command.kind === 'leave') leave(command.group, voterGroup);
  else if (command.kind === 'lose') lose(voterGroup);
  else if (command.kind === 'regain') void recover(command.group, voterGroup);
  else void forget(command.group, voterGroup);
});
process.send?.({ kind: 'listens' });

function enter(group: string, options: VoterOptions): void {
  const voterGroup = groups.get(group) ?? {
    options,
    present: 0,
    sources: [],
    lost: [],
    timer: undefined,
  };
  groups.set(group, voterGroup);
  clearTimeout(voterGroup.timer);
  voterGroup.present += 1;
  if (voterGroup.sources.length === 0) voterGroup.sources = opened(group, voterGroup.options);
}

function leave(group: string, voterGroup: VoterGroup): void {
  voterGroup.present -= 1;
  if (voterGroup.present > 0) return;
  voterGroup.timer = setTimeout(() => {
    for (const source of voterGroup.sources) void source.close();
    groups.delete(group);
  }, lingerMs);
}

/** Restarts all of them without memory at once. */
async function forget(group: string, voterGroup: VoterGroup): Promise<void> {
  await Promise.all(voterGroup.sources.map((source) => source.close()));
  voterGroup.sources = opened(group, voterGroup.options);
  process.send?.({ kind: 'forgotten', group });
}

/** Ends all but one of them. */
function lose(voterGroup: VoterGroup): void {
  voterGroup.lost = voterGroup.sources.splice(1).map((source) => source.close());
}

/** Starts the lost ones again, without memory, once they have ended. */
async function recover(group: string, voterGroup: VoterGroup): Promise<void> {
  await Promise.all(voterGroup.lost);
  voterGroup.sources.push(...opened(group, voterGroup.options, voters.slice(1)));
}

function opened(group: string, options: VoterOptions, names = voters): LeadershipSource[] {
  return names.map((member) => openVoter({ directory, group, member, options }));
}
