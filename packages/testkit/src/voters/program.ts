// The voters of every group, in a process of their own, like brokers: faults of a member's process
// do not affect them. They are notified of members that start and end, and run while any member
// does, and a while longer. Started as `node program.js DIRECTORY MODULE NAME,NAME,…`.
import type { LeadershipSource } from '@leadership/core';
import type { OpenVoter, VoterOptions } from './open-voter.ts';

/** A message from the parent. */
export type VoterCommand =
  | { readonly kind: 'enter'; readonly group: string; readonly options: VoterOptions }
  | { readonly kind: 'leave' | 'forget' | 'lose' | 'regain'; readonly group: string };

interface Board {
  readonly options: VoterOptions;
  present: number;
  seats: LeadershipSource[];
  lost: Promise<void>[];
  timer: NodeJS.Timeout | undefined;
}

const [directory = '', module = '', list = ''] = process.argv.slice(2);
const voters = list.split(',');
const { openVoter } = (await import(module)) as { readonly openVoter: OpenVoter };
const lingerMs = 8_000;
const boards = new Map<string, Board>();

process.on('disconnect', () => process.exit());
process.on('message', (command: VoterCommand) => {
  if (command.kind === 'enter') return enter(command.group, command.options);
  const board = boards.get(command.group);
  if (board === undefined) return;
  if (command.kind === 'leave') leave(command.group, board);
  else if (command.kind === 'lose') lose(board);
  else if (command.kind === 'regain') void regain(command.group, board);
  else void forget(command.group, board);
});
process.send?.({ kind: 'listens' });

function enter(group: string, options: VoterOptions): void {
  const board = boards.get(group) ?? {
    options,
    present: 0,
    seats: [],
    lost: [],
    timer: undefined,
  };
  boards.set(group, board);
  clearTimeout(board.timer);
  board.present += 1;
  if (board.seats.length === 0) board.seats = seated(group, board.options);
}

function leave(group: string, board: Board): void {
  board.present -= 1;
  if (board.present > 0) return;
  board.timer = setTimeout(() => {
    for (const source of board.seats) void source.close();
    boards.delete(group);
  }, lingerMs);
}

/** Restarts all of them without memory at once. */
async function forget(group: string, board: Board): Promise<void> {
  await Promise.all(board.seats.map((source) => source.close()));
  board.seats = seated(group, board.options);
  process.send?.({ kind: 'forgotten', group });
}

/** Ends all but one of them. */
function lose(board: Board): void {
  board.lost = board.seats.splice(1).map((source) => source.close());
}

/** Starts the lost ones again, without memory, once they have ended. */
async function regain(group: string, board: Board): Promise<void> {
  await Promise.all(board.lost);
  board.seats.push(...seated(group, board.options, voters.slice(1)));
}

function seated(group: string, options: VoterOptions, names = voters): LeadershipSource[] {
  return names.map((member) => openVoter({ directory, group, member, options }));
}
