// A child process of the benchmarks on files: notices the files that appear in a directory.
import { watch } from 'node:fs';
import { inputOf, nowNs, report } from '@leadership/tools/processes';
import type { WatchMessage } from '../backends/file.ts';

watch(inputOf<{ readonly directory: string }>().directory, (_event, name) => {
  if (name?.endsWith('.json')) void report<WatchMessage>({ kind: 'noticed', atNs: nowNs() });
});
process.on('disconnect', () => process.exit());
await report<WatchMessage>({ kind: 'watching' });
