// The second client, @platformatic/kafka: an optional peer, loaded when the first member that uses it starts.
import { LeadershipError } from '@leadership/core';
import type * as platformatic from '@platformatic/kafka';

/** What the package exports. */
export type Library = typeof platformatic;

/** Loads the package once. */
export function libraryOf(load: () => Promise<Library> = () => import('@platformatic/kafka')): () => Promise<Library> {
  let loading: Promise<Library> | undefined;
  return () => {
    loading ??= load().catch((cause: unknown) => {
      loading = undefined;
      const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
      if (!isMissing) throw cause;
      throw new LeadershipError(
        'misconfigured-backend',
        'client: platformatic() needs the package @platformatic/kafka, which is not installed. Run: npm install @platformatic/kafka@1',
        { cause },
      );
    });
    return loading;
  };
}
