import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { tempDirectory } from './support/temp-directory.ts';

const program = fileURLToPath(new URL('support/renamed-source.mjs', import.meta.url));
// A private mount namespace: the mount ends with the process, and no other process sees it.
const own = ['--mount', '--propagation', 'private'];

function canMount(): boolean {
  try {
    execFileSync('unshare', [...own, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it('a member whose bind-mounted folder was renamed on the host stops leading, reports that, and takes part again once it was renamed back', async (context) => {
  if (!canMount())
    return context.skip('this machine does not permit mount namespaces (unshare --mount)');
  await using home = await tempDirectory();
  const said = execFileSync('unshare', [...own, process.execPath, program, home.path], {
    encoding: 'utf8',
    timeout: 100_000,
  });
  const { troubles, ...seen } = JSON.parse(said);
  expect(seen).toEqual({
    led: true,
    both: 0,
    taken: true,
    insideLeads: false,
    again: true,
    ok: true,
  });
  expect(troubles.join('\n')).toMatch(
    /mount\/g: the directory that is mounted here was ".*\/source" .* and is ".*\/away" now/,
  );
});
