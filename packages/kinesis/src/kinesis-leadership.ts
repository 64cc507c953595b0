import type { LeadershipSource } from '@leadership/core';
import { type Backend, type BackendModule, mergeAddress, openSource, type ResolvedOptions, resolveOptions } from '@leadership/core/backend';
import { balanced, ledgerBackend } from '@leadership/core/ledger';
import { clientOf } from './client.ts';
import { tableLedger } from './ledger.ts';
import { checkPlace, type KinesisOptions, type PlaceOptions, parameters, regionIn } from './options.ts';
import { tablePresence } from './presence.ts';
import { pollMsOf, storeOf } from './store.ts';
import { tableOf } from './table.ts';

/**
 * One member of a group that is kept in a DynamoDB table. Starts at once; `ready()` waits for the table.
 * @throws LeadershipError `invalid-options`
 */
export function kinesisLeadership(options: KinesisOptions): LeadershipSource {
  const { table, region, dynamodb, create, homeRegion, ...common } = options;
  const resolved = resolveOptions(common);
  const own = { table, region, dynamodb, create, homeRegion };
  const place = checkPlace(Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)));
  return openSource(tableBackend(place, resolved), resolved);
}

/** For `openLeadership('kinesis://REGION?group=GROUP&table=TABLE')`. */
export const backend: BackendModule = {
  scheme: 'kinesis',
  parameters,
  open(address, options) {
    return kinesisLeadership({ ...mergeAddress(address, options), region: regionIn(address) } as KinesisOptions);
  },
};

function tableBackend({ table: name, region, dynamodb, create, homeRegion }: PlaceOptions, options: ResolvedOptions): Backend {
  const { group, thresholdMs, thresholdMsMax, partitions, campaign } = options;
  const pollMs = pollMsOf(thresholdMs);
  return ledgerBackend(
    options,
    (host) => {
      const client = clientOf(dynamodb, region);
      const store = storeOf({ table: tableOf(client.dynamodb, name), group, thresholdMs }, host);
      const backOff = { firstMs: pollMs, lastMs: thresholdMs, random: host.random };
      const ledger = tableLedger(store, {
        partitions,
        thresholdMsMax,
        homeRegion,
        create: create && campaign,
        begins: campaign,
        close: client.close,
      });
      const placement = balanced(tablePresence(store), { incarnation: host.incarnation, partitions, clock: host.clock, backOff });
      return { ledger, placement };
    },
    { newsDelayMs: pollMs },
  );
}
