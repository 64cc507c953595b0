// A child process of the Postgres benchmarks: one member, which reports its terms and resigns on
// each command.
import { postgresLeadership } from '@leadership/postgres';
import { inputOf, report } from '@leadership/tools/processes';
import type { MemberInput } from '../postgres/store.ts';
import { type ElectionMessage, reportStates, resignAndReport } from '../process/member-messages.ts';

const { server, ...common } = inputOf<MemberInput>();
const source = postgresLeadership({ connection: server, ...common });
reportStates(source, common.partitions);
process.on('message', () => void resignAndReport(source));
process.on('disconnect', () => process.exit());
await source.ready();
await report<ElectionMessage>({ kind: 'ready' });
