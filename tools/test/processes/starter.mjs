// Starts a child, stops it, and writes its process id.
import { startChild } from '@leadership/tools/processes';

const child = startChild(new URL('stopped.mjs', import.meta.url), { input: {} });
await child.next('ready');
process.kill(child.pid, 'SIGSTOP');
console.log(child.pid);
