import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { tell } from '../support/story.ts';

// Change a story by its first-column lines, then `npx vitest --project unit -u packages/nerio/test/protocol/stories`, and read what came of it.
const folder = new URL('./stories/', import.meta.url);
const stories = readdirSync(folder).filter((name) => name.endsWith('.txt'));

it.each(stories)('the story %s goes as it is told', async (name) => {
  const file = fileURLToPath(new URL(name, folder));
  await expect(tell(readFileSync(file, 'utf8'))).toMatchFileSnapshot(file);
});
