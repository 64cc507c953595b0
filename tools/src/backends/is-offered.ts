/**
 * Returns whether tests of a backend can run here. `missing` names the missing part, if any. If the
 * tests cannot run, one line on stderr states why. If `REQUIRE_BACKENDS` contains the backend,
 * throws instead, so that CI cannot pass without it.
 */
export function isOffered(
  backend: string,
  missing: string | undefined,
  required: string = process.env['REQUIRE_BACKENDS'] ?? '',
): boolean {
  if (missing === undefined) return true;
  const sentence = `${backend} cannot be started here: ${missing}`;
  const names = required.split(',').map((name) => name.trim());
  if (names.includes(backend)) throw new Error(`${sentence} (REQUIRE_BACKENDS=${required})`);
  process.stderr.write(`leadership: ${sentence}; everything that needs it is skipped\n`);
  return false;
}
