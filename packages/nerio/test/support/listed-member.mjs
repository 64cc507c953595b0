// The members of a group of the conformance suite, whose addresses are in a book. In a process of
// its own, a member opens the backend of this module, whose URL names the directory of the book:
// `listed-member.mjs?book=DIR`. The process of the voters calls `openVoter`.
import { nerioLeadership, backend as right, tcpTransport } from '@leadership/nerio';
import { addressBookIn, voters } from '@leadership/testkit/internal';

/**
 * The members that a check may open. They are candidates and not voters, so any of them can be
 * lost.
 */
const candidates = [
  'a',
  'b',
  'c',
  'd',
  'e',
  'asker',
  'candidate',
  'first',
  'late',
  'm0',
  'm1',
  'm2',
  'observer',
];

export const members = [
  ...candidates.map((member) => ({ member, votes: false })),
  ...voters.map((member) => ({ member, stands: false })),
];

export const backend = {
  ...right,
  open({ path }, { member, ...options }) {
    const directory = new URL(import.meta.url).searchParams.get('book');
    return openVoter({ directory, group: path.slice(1), member, options });
  },
};

export function openVoter({ directory, group, member, options }) {
  const book = addressBookIn(directory, group);
  const tcp = tcpTransport({
    listen: { host: '127.0.0.1', port: 0 },
    addresses: book.addressOf,
    listening: ({ port }) => book.enter(member, port),
  });
  return nerioLeadership({
    ...options,
    group,
    member,
    members,
    // A plain function has no `fault` check, which would need the addresses of members that have
    // not started yet.
    transport: (parts) => tcp(parts),
  });
}
