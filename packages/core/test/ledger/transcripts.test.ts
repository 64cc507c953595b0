import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { walk } from '../support/transcript.ts';

// Change a story by its first-column lines, then `npx vitest --project unit -u packages/core/test/ledger/transcripts`, and read what came of it.
const folder = new URL('./transcripts/', import.meta.url);
const stories = readdirSync(folder).filter((name) => name.endsWith('.txt'));

it.each(stories)('replays the story %s exactly', async (name) => {
  const file = fileURLToPath(new URL(name, folder));
  await expect(walk(readFileSync(file, 'utf8'))).toMatchFileSnapshot(file);
});
