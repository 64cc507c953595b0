// Completes a package-lock.json. `main.ts` is the program.

/** The fields of a lockfile entry (version 3) that this module uses. */
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
 * Returns the lockfile with the platform packages that npm omitted. If a registry does not serve
 * the binary of another platform, npm silently omits the optional dependency from the lockfile, and
 * `npm ci` then rejects the lockfile on every machine. The dependent package contains the name and
 * the exact version, so this function can add the entry without the binary. Only the integrity hash
 * is missing.
 */
export function complete(lockfile: Lockfile): Lockfile {
  const { packages } = lockfile;
  const absent = Object.entries(packages)
    .flatMap(([path, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies).filter(([name]) => !isFound(name, path, packages)),
    )
    .flatMap(([name, version]) =>
      binary(name, version).map((entry) => [`node_modules/${name}`, entry] as const),
    );
  // npm's own order, so that the next `npm install` moves nothing.
  const sorted = [...Object.entries(packages), ...absent].sort(([a], [b]) =>
    a.localeCompare(b, 'en'),
  );
  return { ...lockfile, packages: Object.fromEntries(sorted) };
}

/** Returns whether a package finds another one, in its own `node_modules` or in one above it. */
function isFound(name: string, path: string, packages: Lockfile['packages']): boolean {
  const above = path
    .split(/(?<=^|\/)node_modules\//)
    .slice(0, -1)
    .join('node_modules/');
  const folder = path === '' ? '' : `${path}/`;
  if (packages[`${folder}node_modules/${name}`] !== undefined) return true;
  return path !== '' && isFound(name, above.replace(/\/$/, ''), packages);
}

/**
 * Returns the entry of a platform binary, or nothing if the name contains no platform. Names look
 * like `@scope/cli-linux-x64-musl` or `@scope/windows-64`. The fields are in npm's order.
 */
function binary(name: string, version: string): readonly LockedPackage[] {
  const {
    os,
    cpu,
    rest = '',
  } = /[/-](?<os>android|darwin|freebsd|linux|openbsd|openharmony|win32|windows)-(?<cpu>[a-z0-9]+)(?<rest>.*)$/.exec(
    name,
  )?.groups ?? {};
  if (os === undefined || cpu === undefined) return [];
  const libc =
    os === 'linux'
      ? libraries.filter(([mark]) => rest.includes(mark)).map(([, library]) => library)
      : [];
  const platform = {
    cpu: [cpu === '64' ? 'x64' : cpu],
    dev: true,
    ...(libc.length > 0 && { libc }),
    optional: true,
  };
  return [{ version, ...platform, os: [os === 'windows' ? 'win32' : os] }];
}

const libraries = [
  ['gnu', 'glibc'],
  ['musl', 'musl'],
] as const;
