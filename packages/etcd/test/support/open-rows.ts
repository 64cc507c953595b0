import { randomUUID } from 'node:crypto';
import type { Rows } from '@leadership/core/adapter';
import { type RecordingHost, recordingHost } from '@leadership/testkit/adapter';
import { httpGateway } from '../../src/gateway.ts';
import type { EtcdOptions } from '../../src/options.ts';
import { etcdRows } from '../../src/rows.ts';

/** The rows of a group, as one member uses them. Disposing closes its connections. */
export interface OpenRows extends Disposable {
  readonly rows: Rows;
  readonly host: RecordingHost;
  readonly group: string;
}

/** A signal of each request: Node warns of a leak where many requests listen to one. */
const never = (): AbortSignal => new AbortController().signal;

/** Opens the rows of a group of its own, or of the given one. */
export function openRows(options: Partial<EtcdOptions> & Pick<EtcdOptions, 'endpoints'>): OpenRows {
  const { member = 'm', group = randomUUID(), prefix = 'leadership/' } = options;
  const { thresholdMs = 3000, notifications = true } = options;
  const host = recordingHost(member);
  const gateway = httpGateway({ ...options, group }, () => 0);
  const rows = etcdRows(gateway, { group, prefix, thresholdMs, notifications }, host);
  return { rows, host, group, [Symbol.dispose]: () => void rows.close() };
}

/** Checks the servers. */
export function prepared({ rows }: OpenRows): Promise<void> {
  return rows.open?.(never()) ?? Promise.resolve();
}

/** Reads the rows. */
export function listed({ rows }: OpenRows, signal = never()): Promise<ReadonlyMap<string, string>> {
  return rows.list({ signal, mayLag: false });
}

/** Changes a row. */
export function changed(
  { rows }: OpenRows,
  name: string,
  expected: string | null,
  text: string | null,
  isAwaited = false,
): ReturnType<Rows['replace']> {
  return rows.replace({ name, expected, text, isAwaited }, never());
}
