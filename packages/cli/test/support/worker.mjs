// A command for `leadership run`. It appends a line to a journal every few milliseconds, so that
// tests can read when it acted. Arguments: the journal, its name, and `stubborn` to ignore signals.
import { appendFileSync } from 'node:fs';
import process from 'node:process';

const [journal, name, manner] = process.argv.slice(2);
const note = (kind) => {
  const { LEADERSHIP_TOKEN: token, LEADERSHIP_SLOT: slot } = process.env;
  const line = { kind, name, pid: process.pid, token, slot };
  appendFileSync(
    journal,
    `${JSON.stringify({ ...line, atNs: String(process.hrtime.bigint()) })}\n`,
  );
};

if (manner === 'stubborn')
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => note(signal));
else {
  process.on('SIGHUP', () => note('SIGHUP'));
  process.on('SIGTERM', () => {
    note('SIGTERM');
    process.exit(0);
  });
}
// A test may send a signal as soon as it reads this line: the handlers are installed.
note('start');
setInterval(() => note('beat'), 5);
