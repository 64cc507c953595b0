// Walks the causes of an error of Kafka's clients, which wrap the error of a broker several times.

/** The greatest number of causes that is followed: causes may form a circle. */
const causesMax = 12;

/**
 * The error and its causes, the outermost first. If an error has several causes, only the first of
 * them counts.
 */
export function firstCausesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (
    let cause = error;
    cause !== undefined && cause !== null && causes.length < causesMax;
    [cause] = causesBelow(cause)
  )
    causes.push(cause);
  return causes;
}

/** The error and all of its causes, the outermost first. */
export function allCausesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (
    let level: readonly unknown[] = [error];
    level.length > 0 && causes.length < causesMax;
    level = level.flatMap(causesBelow)
  )
    causes.push(...level);
  return causes;
}

/**
 * The errors that an error collects, then those of its partitions, which are in no cause, then its
 * cause.
 */
function causesBelow(error: unknown): readonly unknown[] {
  if (typeof error !== 'object' || error === null) return [];
  const { errors, partitions, cause } = error as Readonly<Record<string, unknown>>;
  const ofPartitions = listIn(partitions).map(
    (partition) => (partition as { readonly error?: unknown } | null | undefined)?.error,
  );
  return [...listIn(errors), ...ofPartitions, cause].filter(
    (one) => one !== undefined && one !== null,
  );
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
