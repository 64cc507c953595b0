// A tag of an action can be moved to other code. A commit cannot, and the release holds the right to
// publish.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const folder = resolve(import.meta.dirname, '../../../.github/workflows');
const workflows = readdirSync(folder).filter((file) => /\.ya?ml$/.test(file));

/** Returns what a workflow uses: its own repository's actions aside, which have no version. */
function usesOf(workflow: string): readonly string[] {
  return [...workflow.matchAll(/^\s*(?:-\s+)?["']?uses["']?:\s*(?!\.\/)(.*)$/gm)].map(
    ([, used = '']) => used,
  );
}

/** Matches an action that is pinned by its full commit, with its version in a comment. */
const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

describe('the workflows', () => {
  test.each(workflows)('%s pins every action by its full commit and names its version', (file) => {
    const uses = usesOf(readFileSync(join(folder, file), 'utf8'));
    expect(uses).not.toEqual([]);
    expect(uses.filter((used) => !pinned.test(used))).toEqual([]);
  });

  test.each(workflows)('%s restricts the rights of its token', (file) => {
    expect(readFileSync(join(folder, file), 'utf8')).toMatch(/^permissions:/m);
  });

  test('pin one action by one commit only', () => {
    const commits = new Map<string, Set<string>>();
    for (const file of workflows)
      for (const used of usesOf(readFileSync(join(folder, file), 'utf8'))) {
        const [action = '', version = ''] = used.split('@');
        const name = action.split('/').slice(0, 2).join('/');
        commits.set(name, (commits.get(name) ?? new Set()).add(version));
      }
    expect([...commits].filter(([, { size }]) => size > 1)).toEqual([]);
  });

  test('are read in every way that YAML writes a step', () => {
    const step = ['- uses: a/b@v1', '  uses: a/b@main # v1.0.0', '  "uses": a/b/c@0123abc'];
    expect(usesOf(step.join('\n')).filter((used) => pinned.test(used))).toEqual([]);
    expect(usesOf(step.join('\n'))).toHaveLength(3);
  });
});
