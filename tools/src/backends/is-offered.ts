/**
 * Whether tests of a backend can run here, given what it is missing, if anything. Where they cannot, one line on stderr says why;
 * where the environment's `REQUIRE_BACKENDS` names the backend, it throws instead: CI must not pass for want of a part.
 */
export function isOffered(backend: string, missing: string | undefined, required: string = process.env['REQUIRE_BACKENDS'] ?? ''): boolean {
  if (missing === undefined) return true;
  const sentence = `${backend} cannot be started here: ${missing}`;
  const names = required.split(',').map((name) => name.trim());
  if (names.includes(backend)) throw new Error(`${sentence} (REQUIRE_BACKENDS=${required})`);
  process.stderr.write(`leadership: ${sentence}; what needs it is skipped\n`);
  return false;
}
