import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runTranscript } from '../support/transcript.ts';

// To change a transcript, edit its first-column lines, run
// `npx vitest --project unit-pure -u packages/nerio/test/protocol/transcripts`, and review the results.
const folder = new URL('./transcripts/', import.meta.url);
const transcripts = readdirSync(folder).filter((name) => name.endsWith('.txt'));

it.each(transcripts)('the transcript %s has the recorded results', async (name) => {
  const file = fileURLToPath(new URL(name, folder));
  await expect(runTranscript(readFileSync(file, 'utf8'))).toMatchFileSnapshot(file);
});
