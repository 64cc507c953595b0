// Creates a directory with two registered processes, one of them stopped. Prints the path and the
// process ids, and then waits until it is killed.
import { spawn } from 'node:child_process';
import { temporaryDirectory } from '../../dist/backends/temporary-directory.js';

const folder = await temporaryDirectory('leadership-occupied');
const sleepers = [1, 2].map(() => spawn('sleep', ['300'], { stdio: 'ignore' }));
for (const { pid } of sleepers) folder.occupy(pid);
sleepers[0].kill('SIGSTOP');
process.stdout.write(
  `${JSON.stringify({ path: folder.path, pids: sleepers.map(({ pid }) => pid) })}\n`,
);
