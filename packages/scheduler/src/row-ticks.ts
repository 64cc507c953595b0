// Keeps claimed ticks in the store of a group, beside its leases.
import { randomUUID } from 'node:crypto';
import { LeadershipError, type LeadershipSource, type Role } from '@leadership/core';
import { check } from '@leadership/core/adapter';
import { type RoleTools, roleToolsOf } from '@leadership/core/internal';
import type { TickStore } from './tick-store.ts';

/** The latest claim of a schedule. */
interface Claimed {
  readonly at: number;
  readonly token: bigint;
  /** The claim, so that a member knows its own one whose answer was lost. */
  readonly id: string;
}

/**
 * Creates a store in the group of the source: the latest tick of each schedule, with the token of the
 * leader that claimed it, is a row beside the leases. All members of the group use the same, and none
 * needs a second store. A claim compares the tick and the token with those of the row, in one step.
 *
 * @throws LeadershipError `invalid-options` if the group has no rows: members that elect among
 * themselves, the guarantee `continuous`, and sources that combine others
 */
export function rowTicks(source: LeadershipSource): TickStore {
  return ticksOf(source.role(0));
}

/** The stores by the source that they belong to, so that each knows its own claims again. */
const known = new WeakMap<RoleTools['trouble'], TickStore>();

/** Returns the store in the group of a role. */
export function ticksOf(role: Role): TickStore {
  const { replaceText, trouble } = roleToolsOf(role) ?? {};
  check(
    replaceText !== undefined && trouble !== undefined,
    'this source keeps no ticks, because it has no rows in a store: use postgresTicks, fileTicks or a TickStore of your own',
  );
  const store = known.get(trouble) ?? storeBy(replaceText);
  known.set(trouble, store);
  return store;
}

function storeBy(replace: NonNullable<RoleTools['replaceText']>): TickStore {
  const read = async (name: string): Promise<Claimed | undefined> =>
    parsed(name, await replace(rowOf(name), () => undefined));
  /** The latest claim of each schedule whose answer was lost: to repeat it is to ask what became of it. */
  const lost = new Map<string, Pick<Claimed, 'at' | 'id'>>();
  return {
    token: async (name) => (await read(name))?.token,
    latest: async (name) => (await read(name))?.at,
    async claim(name, at, token) {
      const repeated = lost.get(name);
      // Of two calls at the same time, one repeats it.
      lost.delete(name);
      const id = repeated?.at === at ? repeated.id : randomUUID();
      let isClaimed = false;
      const next = (text: string | undefined): string | undefined => {
        const latest = parsed(name, text);
        const isLater = latest === undefined || (latest.at < at && latest.token <= token);
        isClaimed = isLater || latest.id === id;
        return isLater ? JSON.stringify({ at, token: String(token), id }) : undefined;
      };
      try {
        await replace(rowOf(name), next);
      } catch (error) {
        lost.set(name, { at, id });
        throw error;
      }
      return isClaimed;
    },
  };
}

/** The longest name: a file system limits the names of rows. Characters. */
const nameLengthMax = 100;

function rowOf(name: string): string {
  const rule = `must have at most ${nameLengthMax} characters`;
  check(name.length <= nameLengthMax, `the name ${name} of the schedule ${rule}`);
  return `tick/${name}`;
}

/** @throws LeadershipError `misconfigured-backend` if somebody else has written the row */
function parsed(name: string, text: string | undefined): Claimed | undefined {
  if (text === undefined) return undefined;
  try {
    const { at, token, id } = JSON.parse(text) as { at: number; token: string; id: string };
    if (Number.isSafeInteger(at)) return { at, token: BigInt(token), id };
  } catch {
    // The text is none of this library, like one with another time.
  }
  throw new LeadershipError(
    'misconfigured-backend',
    `row "${rowOf(name)}" of the group must hold the latest claim of the schedule, and holds another text; delete the row: the next tick is claimed as usual, but a tick that was claimed before may run again`,
  );
}
