/** Names the faults that something under test does not have, each with the reason that it gives. */
export function missingFaults<Fault extends string>(
  missing: readonly Fault[],
  cannot: Readonly<Partial<Record<Fault, string>>> | undefined,
): string {
  const named = missing.map((fault) => {
    const why = cannot?.[fault];
    return why === undefined ? fault : `${fault} (${why})`;
  });
  return named.join(', ');
}
