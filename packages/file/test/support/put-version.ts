import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Layout, versionPath } from '../../src/register/layout.ts';
import { lifeIn } from './versions.ts';

/**
 * Appends a version atomically, as a member does. `next` computes its text from the current text.
 */
export async function putVersion(
  layout: Layout,
  partition: number,
  next: (current: string) => string,
): Promise<void> {
  const register = layout.register(partition);
  await mkdir(layout.scratch, { recursive: true });
  for (;;) {
    const { mark, numbers } = await lifeIn(register);
    const number = numbers.at(-1) ?? 0;
    const current = await readFile(versionPath(register, { number, mark }), 'utf8');
    const aside = join(layout.scratch, randomUUID());
    await writeFile(aside, next(current), { flag: 'wx' });
    const put = await link(aside, versionPath(register, { number: number + 1, mark })).then(
      () => true,
      () => false,
    );
    await unlink(aside);
    if (put) return;
  }
}
