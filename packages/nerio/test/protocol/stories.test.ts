import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { tell } from '../support/story.ts';

// To change a story, edit its first-column lines, run
// `npx vitest --project unit -u packages/nerio/test/protocol/stories`, and review the results.
const folder = new URL('./stories/', import.meta.url);
const stories = readdirSync(folder).filter((name) => name.endsWith('.txt'));

it.each(stories)('the story %s has the recorded results', async (name) => {
  const file = fileURLToPath(new URL(name, folder));
  await expect(tell(readFileSync(file, 'utf8'))).toMatchFileSnapshot(file);
});
