import { randomUUID } from 'node:crypto';
import { monotonicClock } from '@leadership/core/adapter';
import { recordingHost } from '@leadership/testkit/adapter';
import type { OpenRows } from '@leadership/tools/rows';
import { httpGateway } from '../../src/gateway.ts';
import type { EtcdOptions } from '../../src/options.ts';
import { etcdRows } from '../../src/rows.ts';

/** Rows, and the name of their group. */
export interface EtcdRows extends OpenRows {
  readonly group: string;
}

/** Opens the rows of a group of its own, or of the given one. */
export function openRows(
  options: Partial<EtcdOptions> & Pick<EtcdOptions, 'endpoints'> & { readonly doubtMs?: number },
): EtcdRows {
  const { member = 'm', group = randomUUID(), prefix = 'leadership/' } = options;
  const { thresholdMs = 3000, notifications = true, doubtMs = thresholdMs } = options;
  const host = recordingHost(member);
  const gateway = httpGateway(
    { ...options, thresholdMs },
    { clock: monotonicClock, random: () => 0 },
  );
  const rows = etcdRows(gateway, { group, prefix, thresholdMs, notifications, doubtMs }, host);
  return { rows, host, group, [Symbol.asyncDispose]: async () => rows.close() };
}
