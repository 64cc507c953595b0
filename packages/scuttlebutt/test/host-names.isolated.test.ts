// Host names that the name server does not know. The test answers the lookups, in a process of its own.
import { expect, test, vi } from 'vitest';
import { keys, message, open, portOf } from './support/sockets.ts';

const dns = vi.hoisted(() => ({ known: false }));
vi.mock('node:dns', () => ({
  lookup: (_host: string, _options: object, done: (error: Error | null, at?: string) => void) =>
    dns.known ? done(null, '127.0.0.1') : done(new Error('getaddrinfo ENOTFOUND')),
}));

test('a host name that has no address is reported for a configured member, and tried again soon', async () => {
  const b = await open({ keys, listen: { host: '127.0.0.1', port: 0 } });
  const [voter, other] = [`b.test:${portOf(b.name)}`, `other.test:${portOf(b.name)}`];
  const a = await open({ keys }, { configured: [voter] });
  const sends = (to: string): void => a.transport.send(to, message(a.name));
  await expect
    .poll(() => {
      sends(voter);
      return a.unresolved;
    })
    .toContainEqual([voter, 'getaddrinfo ENOTFOUND']);
  await expect
    .poll(() => {
      sends(other);
      return a.failed;
    })
    .toContainEqual(`${other}: getaddrinfo ENOTFOUND`);
  dns.known = true;
  await expect
    .poll(
      () => {
        sends(voter);
        return a.unresolved.at(-1);
      },
      { timeout: 8000 },
    )
    .toEqual([voter, undefined]);
}, 20_000);
