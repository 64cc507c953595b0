import { chmod } from 'node:fs/promises';
import { eventually } from '@leadership/testkit/adapter';
import { spawnMember } from '@leadership/testkit/faults';
import { expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { tempDirectory } from './support/temp-directory.ts';

/** Who may do nothing but read what all may. */
const nobody = 65534;

/** From here on this process may not write what is root's, until disposed; `undefined` where it is not root itself. */
function unprivileged(): Disposable | undefined {
  if (process.getuid?.() !== 0) return undefined;
  process.seteuid?.(nobody);
  return { [Symbol.dispose]: () => process.seteuid?.(0) };
}

it('an observer without the right to write waits for the first member, says so, and reads from then on', async (context) => {
  await using home = await tempDirectory();
  await chmod(home.path, 0o755);
  const options = { thresholdMs: 1000, partitions: 2 };
  const observe = () => fileLeadership({ directory: home.path, group: 'g', campaign: false, ...options });
  using rights = unprivileged();
  if (rights === undefined) return context.skip('only root can give its rights away: an observer without any stays untried');
  await using early = observe();
  const why = await eventually('health says what it waits for', () => early.health().troubles[0]);
  expect(why).toMatchObject({ code: 'unreachable', message: expect.stringMatching(/no member has made it yet.*waits for one/) });
  rights[Symbol.dispose]();
  const member = spawnMember({ url: `file:${home.path}?group=g`, options: { ...options, member: 'm' }, work: { kind: 'idle' } });
  process.seteuid?.(nobody);
  await using _ = await member;
  await early.ready();
  await using late = observe();
  await late.ready();
  for (const observer of [early, late]) {
    await eventually('it sees who leads', () => observer.role(0).leader()?.member === 'm' && observer.role(1).leader()?.member === 'm');
    await eventually('it is well', () => observer.health().ok);
  }
});
