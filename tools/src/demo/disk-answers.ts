import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type AnswerWatch, answerWatch } from './answer-watch.ts';

/**
 * Measures how long the disk takes to keep a file in this directory. A member of Nerio keeps one
 * before each grant, and a member on files before each claim.
 */
export function diskAnswers(directory: string): AnswerWatch {
  return answerWatch(() => keep(join(directory, 'probe')));
}

/** Writes and syncs a file. */
async function keep(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile('kept');
    await file.sync();
  } finally {
    await file.close();
  }
}
