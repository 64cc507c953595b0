// A helper of the benchmarks on files: notices the files that appear in a directory, and reports the
// instant on the host's monotonic clock.
import { watch } from 'node:fs';
import type { Noticed } from '../backends/file.ts';

const report = (message: Noticed): void => void process.send?.(message);

watch(process.argv[2] ?? '', (_event, name) => {
  if (name?.endsWith('.json')) report({ atNs: String(process.hrtime.bigint()) });
});
process.on('disconnect', () => process.exit());
report({ atNs: '' });
