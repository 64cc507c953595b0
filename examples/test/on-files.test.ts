import { firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { joinBilling } from '../src/on-files.ts';
import { scratchDirectory } from './scratch-directory.ts';

it('joins a group in a directory and leads as its only member', async () => {
  await using directory = await scratchDirectory();
  await using source = joinBilling(directory.path);
  await source.ready();
  const token = await firstValueFrom(
    source.role('invoice-run').whileLeading(async (term) => term.token),
  );
  expect(token).toBeGreaterThan(0n);
  expect(source.guarantees.failoverMsMax).toBe(1166);
});
