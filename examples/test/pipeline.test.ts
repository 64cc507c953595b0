import { memoryGroup } from '@leadership/core/memory';
import { Observable } from 'rxjs';
import { expect, it } from 'vitest';
import { readingsWhileLeading } from '../src/pipeline.ts';

it('reads while this member leads, adds the token of the term, and stops before the next member leads', async () => {
  const group = memoryGroup(crypto.randomUUID());
  await using a = group.join({ member: 'a' });
  await using _b = group.join({ member: 'b' });
  const role = a.role('sensor');
  let readers = 0;
  const sensor$ = new Observable<number>((subscriber) => {
    readers += 1;
    subscriber.next(21);
    return () => {
      readers -= 1;
    };
  });
  const taken: unknown[] = [];
  readingsWhileLeading(role, sensor$).subscribe({
    next: (reading) => taken.push(reading),
    complete: () => taken.push('complete'),
  });

  await group.elect('a', role.partition);
  const token = role.term()?.token;
  expect(taken).toEqual([{ token, reading: 21 }]);
  expect(readers).toBe(1);
  await group.elect('b', role.partition);
  expect(readers).toBe(0);
  await a.close();
  expect(taken).toEqual([{ token, reading: 21 }, 'complete']);
});
