import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Layout } from '../../src/layout.ts';
import { versionPath } from '../../src/layout.ts';
import { list } from '../../src/locate.ts';

/** Puts a version after whatever is current, all or nothing, as a member does. `next` makes its text from the current one's. */
export async function putVersion(layout: Layout, partition: number, next: (current: string) => string): Promise<void> {
  const register = layout.register(partition);
  await mkdir(layout.scratch, { recursive: true });
  for (;;) {
    const number = (await list(register))?.numbers.at(-1) ?? 0;
    const current = await readFile(versionPath(register, number), 'utf8');
    const aside = join(layout.scratch, randomUUID());
    await writeFile(aside, next(current), { flag: 'wx' });
    const put = await link(aside, versionPath(register, number + 1)).then(
      () => true,
      () => false,
    );
    await unlink(aside);
    if (put) return;
  }
}
