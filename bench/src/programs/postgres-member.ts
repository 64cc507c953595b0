// A child process of the Postgres benchmarks: one member, which reports its terms and resigns on
// each command.
import { postgresLeadership } from '@leadership/postgres';
import { inputOf, report } from '@leadership/tools/processes';
import type { MemberInput } from '../postgres/ground.ts';
import { type ElectingMessage, resignAndReport, tellStates } from '../process/electing.ts';

const { server, ...common } = inputOf<MemberInput>();
const source = postgresLeadership({ connection: server, ...common });
tellStates(source, common.partitions);
process.on('message', () => void resignAndReport(source));
process.on('disconnect', () => process.exit());
await source.ready();
await report<ElectingMessage>({ kind: 'ready' });
