import { type Guarantees, openLeadership } from '@leadership/core';
import { describe, expect, it } from 'vitest';
import { scratchDirectory } from '../scratch-directory.ts';
import { codeIn, tableIn, textOf } from './document.ts';

const page = textOf('docs/how-to/choose-a-backend.md');
const choosingT = textOf('docs/how-to/choose-t-and-partitions.md');

async function guaranteesAt(url: string): Promise<Guarantees> {
  await using source = await openLeadership(url);
  return source.guarantees;
}

describe('the how-to guides to backend and T', () => {
  it('states the fail-over time of each backend as in its guarantees', async () => {
    await using directory = await scratchDirectory();
    for (const [t = '', least, file] of tableIn(
      choosingT,
      'T',
      'memory, Kafka: fail-over at most',
    )) {
      const query = `thresholdMs=${Number.parseInt(t, 10)}`;
      expect(`${(await guaranteesAt(`memory:g?${query}`)).failoverMsMax} ms`).toBe(least);
      expect(
        `${(await guaranteesAt(`kafka://127.0.0.1:1/g?topic=t&${query}`)).failoverMsMax} ms`,
      ).toBe(least);
      expect(
        `${(await guaranteesAt(`file:${encodeURIComponent(directory.path)}?group=g&${query}`)).failoverMsMax} ms`,
      ).toBe(file);
    }
  });

  it('names exactly the backends that exist', async () => {
    const urls = tableIn(page, 'you have', 'use').map(([, url]) => codeIn(url));
    const schemes = urls.filter((url) => url !== '').map((url) => url.split(':')[0]);
    const message = await openLeadership('unknown').catch((error: Error) => error.message);
    expect(message).toContain(`known schemes are ${schemes.join(', ')};`);
  });
});
