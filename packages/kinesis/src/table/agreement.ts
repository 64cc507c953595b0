// What the members of a group on a table must agree on, beside M and the cap on T (R3).
import type { PinAgreement, PinnedFields } from '@leadership/core/internal/lease';
import type { Store } from './store.ts';

/** Returns the values that this member pins, and the check of the pinned ones. */
export function agreementOf({
  group,
  guarantee,
  homeRegion,
}: Pick<Store, 'group' | 'guarantee' | 'homeRegion'>): PinAgreement {
  const values = {
    ...(guarantee !== 'exclusive' && { guarantee }),
    ...(homeRegion !== undefined && { homeRegion }),
  };
  return {
    values,
    refusal(pinned) {
      const { guarantee: pinnedGuarantee = 'exclusive' } = pinned;
      if (pinnedGuarantee !== guarantee)
        return `group "${group}" runs with guarantee "${pinnedGuarantee}", but this member is configured with "${guarantee}"; use the same guarantee for all members`;
      const other = otherRegion(pinned, homeRegion);
      return other === undefined
        ? undefined
        : `group "${group}" runs with homeRegion "${other}", but this member is configured with "${homeRegion}"; use the same homeRegion for all members, because each region of a global table elects a leader of its own`;
    },
  };
}

/**
 * Returns the pinned home region if it differs. A global table replicates the pin, so one of two
 * members in different regions reads the pin of the other.
 */
function otherRegion(
  { homeRegion: pinned }: PinnedFields,
  own: string | undefined,
): string | undefined {
  return pinned === undefined || own === undefined || pinned === own ? undefined : pinned;
}
