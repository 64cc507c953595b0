import type { AwsFault, DynamoDbKind } from '@leadership/tools/aws';
import type { Blow, Deed, Ground, Scene } from '@leadership/tools/soak';
import { eventually } from './eventually.ts';
import { type LocalTable, localTable } from './local-table.ts';
import { deleteItems } from './strange-items.ts';

const group = 'soak';

/** Creates a soak environment on a DynamoDB emulator. Each member has its own proxy line. */
export async function tableGround(kind: DynamoDbKind): Promise<Ground> {
  const table = await localTable({ kind });
  return {
    name: `a table of ${kind}`,
    seat(member) {
      const module = new URL('own-line.mjs', import.meta.url);
      module.searchParams.set('config', JSON.stringify(table.config(member)));
      return { url: `kinesis://${table.region}?table=${table.name}&group=${group}`, module: module.href };
    },
    deeds: deedsOn(table),
    blows: blowsTo(table),
    blowEvery: 30,
    [Symbol.asyncDispose]: () => table[Symbol.asyncDispose](),
  };
}

const throttled: AwsFault = { kind: 'error', code: 'ProvisionedThroughputExceededException' };

/** Injects a fault for a while, into the requests of one line or of all. */
async function befallen({ proxy }: LocalTable, { dice, settings }: Scene, fault: AwsFault, line?: string): Promise<void> {
  // A service that throttles still accepts some requests.
  const scope = { share: fault.kind === 'error' ? 0.9 : 1, ...(line !== undefined && { line }) };
  using _fault = proxy.inject(fault, scope);
  await pauseMs(dice.between(0.2, 3) * settings.thresholdMs);
}

function deedsOn(table: LocalTable): Ground['deeds'] {
  const by =
    (faultIn: (scene: Scene) => AwsFault): Deed =>
    (scene, { name }) =>
      befallen(table, scene, faultIn(scene), name);
  const late = ({ dice, settings }: Scene): number => dice.between(0, 2) * settings.thresholdMs;
  return {
    'connections cut': by(() => ({ kind: 'cut' })),
    'requests swallowed': by(() => ({ kind: 'swallow' })),
    'replies lost': by(() => ({ kind: 'lose-reply' })),
    'requests delayed by up to 2 T': by((scene) => ({ kind: 'delay-request', ms: late(scene) })),
    'replies delayed by up to 2 T': by((scene) => ({ kind: 'delay-reply', ms: late(scene) })),
    'requests throttled': by(() => throttled),
  };
}

function blowsTo(table: LocalTable): Ground['blows'] {
  const toAll =
    (fault: AwsFault): Blow =>
    (scene) =>
      befallen(table, scene, fault);
  return {
    'table out of reach of everyone': toAll({ kind: 'swallow' }),
    'table throttles everyone': toAll(throttled),
    'items deleted': () => deleteItems(table, group),
    async 'table deleted and made again'({ dice, settings }) {
      await table.drop();
      await pauseMs(dice.between(0, 2) * settings.thresholdMs);
      // The deletion of a table takes a moment.
      await eventually('the table is created', () =>
        table.create().then(
          () => true,
          () => false,
        ),
      );
    },
  };
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
