import { describe, expect, test } from 'vitest';
import { type Check, conformance } from '../../src/index.ts';
import { type Wrong, wrongs } from './wrongs.ts';

async function judge(check: Check, { open, says }: Wrong): Promise<void> {
  await using cluster = open();
  await expect(check.run(cluster)).rejects.toThrow(says);
}

describe('the conformance suite itself', () => {
  test('has something wrong for every check to catch, and nothing else', () => {
    expect(Object.keys(wrongs).sort()).toEqual(conformance.map(({ promise }) => promise).sort());
  });

  for (const check of [...conformance].sort((a, b) => Number(a.alone ?? false) - Number(b.alone ?? false))) {
    const wrong = wrongs[check.promise];
    if (wrong === undefined) continue;
    (check.alone ? test : test.concurrent)(`${check.promise} catches ${wrong.what}`, () => judge(check, wrong));
  }
});
