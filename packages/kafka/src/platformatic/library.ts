// The second client, @platformatic/kafka: an optional peer, loaded when the first member that uses
// it starts.
import { LeadershipError } from '@leadership/core';
import type * as platformatic from '@platformatic/kafka';

/** The exports of the package. */
export type Library = typeof platformatic;

/** Loads the package once. */
export function libraryOf(
  load: () => Promise<Library> = () => import('@platformatic/kafka'),
): () => Promise<Library> {
  let loading: Promise<Library> | undefined;
  return () => {
    loading ??= load()
      .then(checked, (cause: unknown) => {
        const isMissing =
          cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
        if (!isMissing) throw cause;
        throw new LeadershipError(
          'misconfigured-backend',
          'client: platformatic() needs the package @platformatic/kafka, which is not installed. Run: npm install @platformatic/kafka@1',
          { cause },
        );
      })
      .catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    return loading;
  };
}

/** The requests that are sent by the library's encoders and decoders. */
const requests = [
  ...([
    'metadataV12',
    'produceV9',
    'fetchV12',
    'listOffsetsV8',
    'createTopicsV7',
    'describeConfigsV4',
    'deleteRecordsV2',
  ] as const),
  ...([
    'findCoordinatorV4',
    'joinGroupV9',
    'syncGroupV5',
    'heartbeatV4',
    'leaveGroupV5',
    'describeGroupsV5',
  ] as const),
] satisfies readonly (keyof Library)[];
const logins = [
  'saslPlain',
  'saslOAuthBearer',
  'saslScramSha',
] satisfies readonly (keyof Library)[];

/** Rejects a release of the library without an export that the adapter uses. */
function checked(library: Library): Library {
  const isThere: Readonly<Record<string, boolean>> = {
    Connection: typeof library.Connection === 'function',
    protocolErrorsCodesById: typeof library.protocolErrorsCodesById === 'object',
    ...Object.fromEntries(
      requests.map((name) => [name, typeof library[name]?.api?.async === 'function']),
    ),
    ...Object.fromEntries(
      logins.map((name) => [name, typeof library[name]?.authenticate === 'function']),
    ),
  };
  const missing = Object.keys(isThere).filter((name) => !isThere[name]);
  if (missing.length === 0) return library;
  throw new LeadershipError(
    'misconfigured-backend',
    `this release of @platformatic/kafka does not export ${missing.join(', ')} as release 1.22 does. Run: npm install @platformatic/kafka@1`,
  );
}
