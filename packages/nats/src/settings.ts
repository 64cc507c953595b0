// The settings of a bucket and of its servers that the promise rests on, as far as the server shows them.
import { misconfigured } from '@leadership/core/adapter';

/** A stream as the server describes it, as far as it is used. */
export interface StreamInfo {
  /** The settings, by their names. Those without an effect are missing. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly created: string;
  /** Its name is new whenever the stream is created, or restored. A single server has none. */
  readonly cluster?: { readonly raft_group?: string };
  readonly state: { readonly last_seq: number };
}

/** A server as it describes itself. */
export interface ServerInfo {
  readonly version: string;
  readonly max_payload: number;
  /** The name of its cluster, if it has one. */
  readonly cluster?: string;
}

/** How a member uses the bucket. */
export interface BucketUse {
  readonly bucket: string;
  /** The least number of copies; `undefined`: as many as the servers can have, up to three. */
  readonly replicas: number | undefined;
}

/** Older ones can lose a whole stream after crashes (nats-server issue 6888). */
const oldest = [2, 10, 23] as const;
/** A text with 64 KiB, its notification, and headers. Bytes. */
const messageBytesMax = 128 * 1024;

/** Returns the least number of copies that the bucket must have. */
function replicasOf({ replicas }: BucketUse, { cluster }: ServerInfo): number {
  return replicas ?? (cluster === undefined ? 1 : 3);
}

/** Returns the settings of a new bucket: those of the clients of NATS, and no limits. */
export function newBucket(use: BucketUse, server: ServerInfo): object {
  return {
    name: `KV_${use.bucket}`,
    subjects: [`$KV.${use.bucket}.>`],
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    num_replicas: replicasOf(use, server),
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
export function checkServer({ version, max_payload }: ServerInfo): void {
  const numbers = version.split(/[.-]/).map(Number);
  const difference = oldest.map((part, index) => (numbers[index] ?? 0) - part).find(Boolean) ?? 0;
  if (difference < 0)
    throw misconfigured(
      `the server is nats-server ${version}, which can lose a bucket after crashes; ${oldest.join('.')} is the oldest that is supported: upgrade it`,
    );
  if (max_payload < messageBytesMax)
    throw misconfigured(
      `the server takes messages of ${max_payload} bytes; a record needs ${messageBytesMax}: raise max_payload`,
    );
}

/**
 * Checks the bucket.
 * @throws LeadershipError `misconfigured-backend`
 */
export function checkBucket({ config }: StreamInfo, use: BucketUse, server: ServerInfo): void {
  const { storage, discard, retention, persist_mode, no_ack, sealed } = config;
  const numberOf = (name: string): number => Number(config[name] ?? 0);
  const [copies, size] = [numberOf('num_replicas'), numberOf('max_msg_size')];
  const isLimited = numberOf('max_msgs') > 0 || numberOf('max_bytes') > 0;
  const subjects = `$KV.${use.bucket}.>`;
  const least = replicasOf(use, server);
  const edit = `run: nats stream edit KV_${use.bucket}`;
  const again = 'stop all members, remove it, and create it again';
  const refuse = (isFault: boolean, fault: string, remedy: string): void => {
    if (isFault) throw misconfigured(`the bucket ${fault}: ${remedy}`);
  };
  refuse(
    storage !== 'file',
    'is kept in memory, so a restart loses it',
    `${again}, with storage=file`,
  );
  refuse(
    numberOf('max_age') > 0,
    'has a TTL, which removes leases in effect',
    `${edit} --max-age=0`,
  );
  const copied = `has ${copies} copies of ${least}, so it needs each of their servers`;
  refuse(copies < least, copied, `${edit} --replicas=${least}, or set the option replicas`);
  const isDropping = isLimited && discard !== 'new';
  refuse(isDropping, 'drops old leases when it is full', `${edit} --discard=new`);
  refuse(retention !== 'limits', 'removes leases that were read', again);
  refuse(
    numberOf('max_msgs_per_subject') < 1,
    'keeps every renewal',
    `${edit} --max-msgs-per-subject=1`,
  );
  refuse(persist_mode === 'async', 'acknowledges changes before they are stored', again);
  refuse(no_ack === true, 'does not acknowledge changes', `${edit} --ack`);
  refuse(sealed === true, 'is sealed, and takes no changes', again);
  const isFed = config['mirror'] !== undefined || String(config['sources'] ?? '') !== '';
  refuse(isFed, 'receives the changes of another bucket, on no condition', again);
  const isMapped =
    config['subject_transform'] !== undefined || String(config['subjects']) !== subjects;
  refuse(isMapped, `has other subjects than ${subjects}`, again);
  const isSmall = size > 0 && size < messageBytesMax;
  const sizes = `takes values of ${size} bytes, and a record needs ${messageBytesMax}`;
  refuse(isSmall, sizes, `${edit} --max-msg-size=-1`);
}
