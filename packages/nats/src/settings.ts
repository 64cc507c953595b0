// The settings of a bucket and of its servers that the promise rests on, as far as the server shows them.
import { checkVersion, misconfigured } from '@leadership/core/adapter';
import type { ServerInfo } from '@nats-io/transport-node';

/** A stream as the server describes it, as far as it is used. */
export interface StreamInfo {
  /** The settings, by their names. Those without an effect are missing. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly created: string;
  /** Its name is new whenever the stream is created, or restored. A single server has none. */
  readonly cluster?: { readonly raft_group?: string };
  readonly state: { readonly last_seq: number };
}

/** The properties of a server that are checked, as it reports them. */
export type CheckedServer = Pick<ServerInfo, 'version' | 'max_payload'>;

/** Older ones can lose a whole stream after crashes (nats-server issue 6888). */
const oldest = '2.10.23';
/** A text with 64 KiB, its notification, and headers. Bytes. */
const messageBytesMax = 128 * 1024;

/** Returns the settings of a new bucket: those of the clients of NATS, and no limits. */
export function newBucket(bucket: string, copies: number): object {
  return {
    name: `KV_${bucket}`,
    subjects: [`$KV.${bucket}.>`],
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    num_replicas: copies,
    max_msgs_per_subject: 1,
    allow_rollup_hdrs: true,
    deny_delete: true,
    allow_direct: true,
  };
}

/**
 * Checks the server.
 * @throws LeadershipError `misconfigured-backend`
 */
export function checkServer({ version, max_payload }: CheckedServer): void {
  checkVersion('nats-server', version, oldest);
  if (max_payload < messageBytesMax)
    throw misconfigured(
      `the server takes messages of ${max_payload} bytes; a record needs ${messageBytesMax}: raise max_payload`,
    );
}

/**
 * Checks the bucket, which must have at least `copies` copies.
 * @throws LeadershipError `misconfigured-backend`
 */
export function checkBucket({ config }: StreamInfo, bucket: string, copies: number): void {
  const { storage, discard, retention, persist_mode, no_ack, sealed } = config;
  const count = (name: string): number => Number(config[name] ?? 0);
  const edit = `run: nats stream edit KV_${bucket}`;
  const again = 'stop all members, remove it, and create it again';
  const refuse = (isFault: boolean, fault: string, remedy: string): void => {
    if (isFault) throw misconfigured(`the bucket ${fault}: ${remedy}`);
  };
  const isVolatile = storage !== 'file';
  refuse(isVolatile, 'is kept in memory, so a restart loses it', `${again}, with storage=file`);
  refuse(count('max_age') > 0, 'has a TTL, which removes leases in effect', `${edit} --max-age=0`);
  const [found, size] = [count('num_replicas'), count('max_msg_size')];
  const copied = `has ${found} copies of ${copies}, so it needs each of their servers`;
  refuse(found < copies, copied, `${edit} --replicas=${copies}, or set the option replicas`);
  const isLimited = count('max_msgs') > 0 || count('max_bytes') > 0;
  const isDropping = isLimited && discard !== 'new';
  refuse(isDropping, 'drops old leases when it is full', `${edit} --discard=new`);
  refuse(retention !== 'limits', 'removes leases that were read', again);
  const isKeeping = count('max_msgs_per_subject') < 1;
  refuse(isKeeping, 'keeps every renewal', `${edit} --max-msgs-per-subject=1`);
  refuse(persist_mode === 'async', 'acknowledges changes before they are stored', again);
  refuse(no_ack === true, 'does not acknowledge changes', `${edit} --ack`);
  refuse(sealed === true, 'is sealed, and takes no changes', again);
  const isFed = config['mirror'] !== undefined || String(config['sources'] ?? '') !== '';
  refuse(isFed, 'receives the changes of another bucket, on no condition', again);
  const subjects = `$KV.${bucket}.>`;
  const isMapped =
    config['subject_transform'] !== undefined || String(config['subjects']) !== subjects;
  refuse(isMapped, `has other subjects than ${subjects}`, again);
  const isSmall = size > 0 && size < messageBytesMax;
  const sizes = `takes values of ${size} bytes, and a record needs ${messageBytesMax}`;
  refuse(isSmall, sizes, `${edit} --max-msg-size=-1`);
}
