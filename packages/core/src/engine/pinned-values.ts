// The error that a member gets whose options differ from those of its group.
import { LeadershipError } from '../contract/leadership-error.ts';

/** The values of a pin, as numbers or as the texts of its record. */
interface PinFields {
  readonly partitions?: unknown;
  readonly thresholdMsMax?: unknown;
}

/**
 * The values that the pin of a group fixes (R3): the `cause` of a refusal because this member's
 * options differ from them.
 */
export class PinnedValues extends Error {
  /** The name of the class, for logs. */
  override readonly name = 'PinnedValues';
  /** The number of partitions of the group. */
  readonly partitions: number;
  /** The cap on T of the group. Milliseconds. */
  readonly thresholdMsMax: number;

  /** `said`: how the message of the refusal quotes the values, so that no report repeats them. */
  constructor(said: string, { partitions, thresholdMsMax }: PinFields) {
    super(said);
    this.partitions = Number(partitions);
    this.thresholdMsMax = Number(thresholdMsMax);
  }
}

/** Creates the error of a member whose values differ from those of its group. */
export function valuesDiffer(group: string, pinned: PinFields, own: PinFields): LeadershipError {
  const said = textOf(pinned);
  return new LeadershipError(
    'partitions-differ',
    `group "${group}" runs with ${said}, but this member is configured with ${textOf(own)}; give all members the same values ` +
      '(thresholdMsMax defaults to thresholdMs: set it in all members to let their thresholdMs differ)',
    { cause: new PinnedValues(said, pinned) },
  );
}

function textOf({ partitions, thresholdMsMax }: PinFields): string {
  return `partitions ${partitions}, thresholdMsMax ${thresholdMsMax}`;
}

/**
 * Returns the values of the group that refused a member with this error; `undefined` if a pin was
 * not the reason. The error may come from another copy of this package.
 */
export function pinnedIn(
  error: unknown,
): Pick<PinnedValues, 'partitions' | 'thresholdMsMax'> | undefined {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  const { name, partitions, thresholdMsMax } = (cause ?? {}) as Partial<PinnedValues>;
  if (name !== 'PinnedValues' || partitions === undefined || thresholdMsMax === undefined)
    return undefined;
  const isUsable = Number.isSafeInteger(partitions) && Number.isFinite(thresholdMsMax);
  return isUsable ? { partitions, thresholdMsMax } : undefined;
}
