// A child process of file-failover and file-handover: one member on the file backend, with a single
// partition. It reports its terms and executes commands.
import { watch } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileLeadership } from '@leadership/file';
import { inputOf, nowNs, report } from '@leadership/tools/processes';
import type { MemberCommand, MemberInput, MemberReport } from '../file/member.ts';
import { reportStates, resignAndReport } from '../process/member-messages.ts';

const { directory, member, thresholdMs } = inputOf<MemberInput>();
const source = fileLeadership({ directory, group: 'bench', member, thresholdMs, partitions: 1 });
const send = (message: MemberReport): void => void report<MemberReport>(message);

reportStates(source, 1);
process.on('message', (command) => void execute(command as MemberCommand));
process.on('disconnect', () => process.exit());
await source.ready();
send({ kind: 'ready' });

async function execute(command: MemberCommand): Promise<void> {
  switch (command.kind) {
    case 'resign':
      return resignAndReport(source);
    case 'watch':
      watch(command.directory, (_event, name) => {
        if (name?.endsWith('.json')) send({ kind: 'noticed', atNs: nowNs() });
      });
      return send({ kind: 'watching' });
    case 'write':
      return send(await write(join(command.directory, command.name)));
  }
}

/** Writes a file as the file backend does: under another name first, then linked once it is durable. */
async function write(path: string): Promise<MemberReport> {
  const beganNs = nowNs();
  const aside = `${path}.aside`;
  const file = await open(aside, 'wx');
  await file.writeFile('x'.repeat(300));
  await file.datasync();
  await file.close();
  const placedNs = nowNs();
  await link(aside, path);
  await unlink(aside);
  return { kind: 'wrote', beganNs, placedNs };
}
