// Keeps the greatest token of a group in a directory beside the group's own, because an operator
// who resets a group moves or deletes that one (T1). The token is the name of an empty file. A
// smaller file is removed only after a greater one is durable, so the greatest name survives in any
// order of writers, and after a power loss.
import { join } from 'node:path';
import type { Host, TokenFloor } from '@leadership/core/adapter';
import type { InFlight } from '@leadership/core/internal/engine';
import { disk } from './disk/disk.ts';
import { makeDirectory } from './disk/make-directory.ts';
import { syncDirectory } from './disk/sync-directory.ts';
import { codeOf, fileError, forbidden, missing, unless } from './errors.ts';
import type { Layout } from './layout.ts';

/** What the floor needs of its store. */
export interface FloorParts {
  readonly layout: Pick<Layout, 'floor'>;
  readonly busy: InFlight;
  readonly host: Pick<Host, 'warning'>;
}

/** Creates the floor of a group. Accesses no file yet. */
export function fileFloor({ layout, busy, host }: FloorParts): TokenFloor {
  const directory = layout.floor;
  let warning: Disposable | undefined;

  /**
   * Handles a parent directory in which this member may create nothing, although it may write in
   * the group's own directory. Its group has no second place then.
   */
  function without(error: unknown): void {
    if (!forbidden.includes(codeOf(error) ?? '')) throw fileError(error, directory);
    warning ??= host.warning('unauthorized', unprotected(directory), error);
  }

  async function raise(token: bigint): Promise<void> {
    try {
      await keep(directory, token);
    } catch (error) {
      return without(error);
    }
    warning?.[Symbol.dispose]();
    warning = undefined;
    busy.track(removeBelow(directory, token)).catch(() => undefined);
  }

  return {
    async read() {
      const tokens = await busy.track(tokensIn(directory)).catch((error: unknown) => {
        without(error);
        return [];
      });
      return tokens.reduce((greatest, token) => (token > greatest ? token : greatest), 0n);
    },
    raise: (token) => busy.track(raise(token)),
  };
}

/** Creates the file of a token. A new name is durable once its directory was synced. */
async function keep(directory: string, token: bigint): Promise<void> {
  const create = (): Promise<void> =>
    disk.write(join(directory, `${token}`), '', { flag: 'wx', durable: false });
  try {
    await create();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      await makeDirectory(directory);
      await unless(['EEXIST'], create());
    } else if (codeOf(error) !== 'EEXIST') throw error;
  }
  await syncDirectory(directory);
}

/** Removes smaller tokens. What cannot be removed now is removed after a later term. */
async function removeBelow(directory: string, token: bigint): Promise<void> {
  for (const lower of await tokensIn(directory)) {
    if (lower < token) await unless(missing, disk.unlink(join(directory, `${lower}`)));
  }
}

/** Returns the tokens in the directory. Ignores foreign files. */
async function tokensIn(directory: string): Promise<readonly bigint[]> {
  const names = (await unless(missing, disk.readdir(directory))) ?? [];
  return names.filter((name) => /^[1-9]\d{0,18}$/.test(name)).map((name) => BigInt(name));
}

function unprotected(directory: string): string {
  return (
    `${directory}: it cannot be read or written, so tokens can become smaller if the group's directory is deleted while a clock is behind: ` +
    'let all members create files there'
  );
}
