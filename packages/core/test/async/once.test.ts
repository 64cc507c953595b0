import { expect, test } from 'vitest';
import { Once } from '../../src/async/once.ts';

test('an operation that calls itself while it starts runs once, and all calls get one promise', async () => {
  const once = new Once();
  const promises: Promise<void>[] = [];
  let runs = 0;
  const call = (): void => {
    promises.push(
      once.run(() => {
        runs += 1;
        expect(once.hasBegun).toBe(true);
        if (runs === 1) call();
        return Promise.reject(new Error('broken'));
      }),
    );
  };
  expect(once.hasBegun).toBe(false);
  call();
  call();
  expect([runs, new Set(promises).size, promises.length]).toEqual([1, 1, 3]);
  await expect(promises[0]).rejects.toThrow('broken');
});
