import { chmod } from 'node:fs/promises';
import { eventually } from '@leadership/testkit/adapter';
import { spawnMember } from '@leadership/testkit/faults';
import { expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { tempDirectory } from './support/temp-directory.ts';

/** The id of a user without special rights. */
const nobody = 65534;

/**
 * Removes root's rights from this process until disposed; `undefined` if it does not run as root.
 */
function unprivileged(): Disposable | undefined {
  if (process.getuid?.() !== 0) return undefined;
  process.seteuid?.(nobody);
  return { [Symbol.dispose]: () => process.seteuid?.(0) };
}

it('an observer without write permission says that no member has opened the group, and then reads', async (context) => {
  await using home = await tempDirectory();
  await chmod(home.path, 0o755);
  const options = { thresholdMs: 1000, partitions: 2 };
  const observe = () =>
    fileLeadership({ directory: home.path, group: 'g', campaign: false, ...options });
  using rights = unprivileged();
  if (rights === undefined)
    return context.skip(
      'only root can drop its rights: an observer without write permission is not tested',
    );
  await using early = observe();
  const why = await eventually('health reports the reason', () => early.health().troubles[0]);
  expect(why).toMatchObject({
    code: 'unknown-group',
    message: expect.stringMatching(/no member has ever opened group "g" here/),
  });
  rights[Symbol.dispose]();
  const member = spawnMember({
    url: `file:${home.path}?group=g`,
    options: { ...options, member: 'm' },
    work: { kind: 'idle' },
  });
  process.seteuid?.(nobody);
  await using _ = await member;
  await early.ready();
  await using late = observe();
  await late.ready();
  for (const observer of [early, late]) {
    await eventually(
      'the observer sees the leader',
      () => observer.role(0).leader()?.member === 'm' && observer.role(1).leader()?.member === 'm',
    );
    await eventually('the observer is healthy', () => observer.health().ok);
  }
});
