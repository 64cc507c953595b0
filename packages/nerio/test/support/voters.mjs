// The voters of every group, in a process of their own, like brokers: faults of a member's process
// do not affect them. They are notified of members that start and end, and run while any member
// does, and a while longer.
import { nerioLeadership, tcpTransport } from '@leadership/nerio';
import { addressBookIn, members, voters } from './address-book.mjs';

const [directory] = process.argv.slice(2);
const lingerMs = 8_000;
const boards = new Map();

process.on('disconnect', () => process.exit());
process.on('message', ({ kind, group, options }) => {
  if (kind === 'enter') enter(group, options);
  else if (kind === 'leave') leave(group);
  else if (kind === 'lose') lose(group);
  else if (kind === 'regain') void regain(group);
  else void forget(group);
});

function enter(group, options) {
  const board = boards.get(group) ?? { options, present: 0, seats: [], lost: [], timer: undefined };
  boards.set(group, board);
  clearTimeout(board.timer);
  board.present += 1;
  if (board.seats.length === 0) board.seats = seat(group, board.options);
}

function leave(group) {
  const board = boards.get(group);
  board.present -= 1;
  if (board.present > 0) return;
  board.timer = setTimeout(() => {
    for (const source of board.seats) void source.close();
    boards.delete(group);
  }, lingerMs);
}

/** Restarts all of them without memory at once. */
async function forget(group) {
  const board = boards.get(group);
  await Promise.all(board.seats.map((source) => source.close()));
  board.seats = seat(group, board.options);
  process.send({ kind: 'forgotten', group });
}

/** Ends all but one of them. */
function lose(group) {
  const board = boards.get(group);
  board.lost = board.seats.splice(1).map((source) => source.close());
}

/** Starts the lost ones again, without memory, once they have ended. */
async function regain(group) {
  const board = boards.get(group);
  await Promise.all(board.lost);
  board.seats.push(...seat(group, board.options, voters.slice(1)));
}

function seat(group, options, names = voters) {
  const book = addressBookIn(directory, group);
  return names.map((member) => {
    const tcp = tcpTransport({
      listen: { host: '127.0.0.1', port: 0 },
      addresses: book.addressOf,
      listening: ({ port }) => book.enter(member, port),
    });
    // A plain function has no `fault` check, which would need the addresses of members that have
    // not started yet.
    return nerioLeadership({
      ...options,
      group,
      member,
      members,
      transport: (parts) => tcp(parts),
    });
  });
}
