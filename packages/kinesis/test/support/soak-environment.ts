import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { AwsFault } from '@leadership/tools/aws';
import type {
  EnvironmentFault,
  MemberFault,
  SoakContext,
  SoakEnvironment,
} from '@leadership/tools/soak';
import { eventually } from './eventually.ts';
import { type LocalTable, localTable } from './local-table.ts';
import { deleteItems } from './strange-items.ts';

const group = 'soak';

/** Creates a soak environment on DynamoDB. Each member has its own proxy line. */
export async function tableEnvironment(): Promise<SoakEnvironment> {
  const table = await localTable();
  return {
    name: 'a table',
    memberOptions(member) {
      const module = new URL('own-line.mjs', import.meta.url);
      module.searchParams.set('config', JSON.stringify(table.config(member)));
      // A member that starts while the table is deleted would be refused without `create`.
      return {
        url: `kinesis://${table.region}?table=${table.name}&group=${group}&create=true`,
        module: module.href,
      };
    },
    memberFaults: memberFaultsOn(table),
    environmentFaults: environmentFaultsOn(table),
    environmentFaultEvery: 30,
    [Symbol.asyncDispose]: () => table[Symbol.asyncDispose](),
  };
}

const throttled: AwsFault = { kind: 'error', code: 'ProvisionedThroughputExceededException' };

/** Injects a fault for a while, into the requests of one line or of all. */
async function underFault(
  { proxy }: LocalTable,
  { rng, settings }: SoakContext,
  fault: AwsFault,
  line?: string,
): Promise<void> {
  // A service that throttles still accepts some requests.
  const scope = { share: fault.kind === 'error' ? 0.9 : 1, ...(line !== undefined && { line }) };
  using _fault = proxy.inject(fault, scope);
  await pauseMs(rng.between(0.2, 3) * settings.thresholdMs);
}

function memberFaultsOn(table: LocalTable): SoakEnvironment['memberFaults'] {
  const by =
    (faultIn: (context: SoakContext) => AwsFault): MemberFault =>
    (context, { name }) =>
      underFault(table, context, faultIn(context), name);
  const late = ({ rng, settings }: SoakContext): number => rng.between(0, 2) * settings.thresholdMs;
  return {
    'connections cut': by(() => ({ kind: 'cut' })),
    'requests swallowed': by(() => ({ kind: 'swallow' })),
    'replies lost': by(() => ({ kind: 'lose-reply' })),
    'requests delayed by up to 2 T': by((context) => ({
      kind: 'delay-request',
      ms: late(context),
    })),
    'replies delayed by up to 2 T': by((context) => ({ kind: 'delay-reply', ms: late(context) })),
    'requests throttled': by(() => throttled),
  };
}

function environmentFaultsOn(table: LocalTable): SoakEnvironment['environmentFaults'] {
  const toAll =
    (fault: AwsFault): EnvironmentFault =>
    (context) =>
      underFault(table, context, fault);
  return {
    'table out of reach of everyone': toAll({ kind: 'swallow' }),
    'table throttles everyone': toAll(throttled),
    'items deleted': () => deleteItems(table, group),
    async 'table deleted and made again'({ rng, settings }) {
      await table.drop();
      await pauseMs(rng.between(0, 2) * settings.thresholdMs);
      // The deletion of a table takes a moment, and a member that starts may create the table
      // first.
      await eventually('the table is created', async () => {
        await table.create().catch(() => undefined);
        return isActive(table);
      });
    },
  };
}

async function isActive({ client, name }: LocalTable): Promise<boolean> {
  const { Table } = await client
    .send(new DescribeTableCommand({ TableName: name }))
    .catch(() => ({ Table: undefined }));
  return Table?.TableStatus === 'ACTIVE';
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
