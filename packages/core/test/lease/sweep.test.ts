// The row of a dead session, which a member removes again if its first request was lost.
import { expect, it } from 'vitest';
import { Group } from './group.ts';

/** A group in which a member was killed, and another one has taken over. */
function afterCrash(): Group {
  const group = new Group();
  group.start('a');
  group.start('b');
  group.pass(1500);
  group.kill('a');
  group.pass(3000);
  return group;
}

function removals({ lines }: Group): readonly string[] {
  return lines.filter((line) => line.includes('removes the row of session a/1'));
}

it('is removed again after T_max if the first request was lost (M11)', () => {
  const group = afterCrash();
  group.pass(15_000);
  expect(removals(group)).toHaveLength(1);
  const removedAt = Number.parseInt(removals(group)[0] ?? '', 10);
  const other = afterCrash();
  other.pass(removedAt - 4500 - 20);
  other.cut('b', 40);
  other.pass(40);
  expect(removals(other)).toEqual([]);
  other.pass(3000);
  expect(removals(other)).toHaveLength(1);
});
