import { randomUUID } from 'node:crypto';
import { monotonicClock } from '@leadership/core/adapter';
import { recordingHost } from '@leadership/testkit/adapter';
import type { LocalKubernetes } from '@leadership/tools/kubernetes';
import type { OpenRows } from '@leadership/tools/rows';
import { type Api, apiOf } from '../../src/api.ts';
import { kubernetesRows } from '../../src/rows.ts';
import { namespace } from './administrator.ts';

/** Opens the rows of a group of its own, or of the given one, over the API as `hinder` changes it. */
export function openRows(
  { url, ca, token }: Pick<LocalKubernetes, 'url' | 'ca' | 'token'>,
  options: {
    readonly group?: string;
    readonly member?: string;
    readonly thresholdMs?: number;
  } = {},
  hinder: (api: Api) => Api = (api) => api,
): OpenRows {
  const { group = randomUUID(), member = 'm', thresholdMs = 3000 } = options;
  const host = recordingHost(member);
  const connection = { server: url, tls: { ca }, token, namespace };
  const api = hinder(apiOf(connection, { clock: monotonicClock }));
  const rows = kubernetesRows(api, { group, thresholdMs, notifications: true }, host);
  return { rows, host, [Symbol.asyncDispose]: async () => rows.close() };
}
