// The backend module of a member in a process of its own. The URL of the module names the directory
// of the book: `listed-member.mjs?book=DIR`.
import { nerioLeadership, backend as right, tcpTransport } from '@leadership/nerio';
import { addressBookIn, members } from './address-book.mjs';

const directory = new URL(import.meta.url).searchParams.get('book');

export const backend = {
  ...right,
  open({ path }, { member, ...options }) {
    const group = path.slice(1);
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
      transport: (parts) => tcp(parts),
    });
  },
};
