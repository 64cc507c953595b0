/** What matters here of one entry of a version 3 lockfile. */
interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
  readonly [field: string]: unknown;
}

/**
 * Adds the platform packages npm left out. Where a registry does not serve the binary of a foreign platform, npm leaves that optional dependency
 * out of the lockfile without a word, and `npm ci` then refuses the lockfile everywhere. Its name and exact version are known from the package
 * that asks for it, so the entry can be written without the binary; only its integrity hash is missing.
 */
export function complete(lockfile: Lockfile): Lockfile {
  const { packages } = lockfile;
  const absent = Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.entries(optionalDependencies))
    .filter(([name]) => packages[`node_modules/${name}`] === undefined)
    .flatMap(([name, version]) => binary(name, version).map((entry) => [`node_modules/${name}`, entry] as const));
  // npm's own order, so that the next `npm install` moves nothing.
  const sorted = [...Object.entries(packages), ...absent].sort(([a], [b]) => a.localeCompare(b, 'en'));
  return { ...lockfile, packages: Object.fromEntries(sorted) };
}

/** The entry of a binary for the one platform that a name like `@scope/cli-linux-x64-musl` or `@scope/windows-64` says, if it says one; its fields in npm's order. */
function binary(name: string, version: string): readonly LockedPackage[] {
  const {
    os,
    cpu,
    rest = '',
  } = /[/-](?<os>android|darwin|freebsd|linux|openharmony|win32|windows)-(?<cpu>[a-z0-9]+)(?<rest>.*)$/.exec(name)?.groups ?? {};
  if (os === undefined || cpu === undefined) return [];
  const libc = os === 'linux' ? libraries.filter(([mark]) => rest.includes(mark)).map(([, library]) => library) : [];
  const platform = { cpu: [cpu === '64' ? 'x64' : cpu], dev: true, ...(libc.length > 0 && { libc }), optional: true };
  return [{ version, ...platform, os: [os === 'windows' ? 'win32' : os] }];
}

const libraries = [
  ['gnu', 'glibc'],
  ['musl', 'musl'],
] as const;
