import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { walk } from '../../support/transcript.ts';

// To change a transcript, edit the lines in the first column, run `npx vitest --project unit-pure -u
// packages/core/test/ledger/protocol/transcripts`, and review the new output.
const folder = new URL('./transcripts/', import.meta.url);
const transcripts = readdirSync(folder).filter((name) => name.endsWith('.txt'));

it.each(transcripts)('replays the transcript %s exactly', async (name) => {
  const file = fileURLToPath(new URL(name, folder));
  await expect(walk(readFileSync(file, 'utf8'))).toMatchFileSnapshot(file);
});
