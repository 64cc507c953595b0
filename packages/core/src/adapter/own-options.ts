// The options of an adapter beside those of every source, from one table: which there are, what each is, and
// which a URL may set.
import type { UrlParameters } from '../contract/backend-module.ts';
import { check } from '../contract/check-option.ts';
import type { SourceOptions } from '../contract/options.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { type OptionLimits, resolveOptions } from './resolve-options.ts';
import { checkFields, checkHosts, checkNames, checkTypes } from './server-options.ts';
import { checkSecret, checkTls, type Supplied, supplied } from './supplied.ts';

/** Certificates in PEM. */
export interface ServerTls {
  /** The trusted issuers of the servers' certificates. Default: Node's root certificates. */
  readonly ca?: string | Buffer | readonly (string | Buffer)[];
  /** The certificate of this client, if the servers ask for one. */
  readonly cert?: string | Buffer;
  /** The private key of this client. */
  readonly key?: string | Buffer;
  /** The passphrase of the private key, if it has one. */
  readonly passphrase?: string;
  /** The name in the servers' certificates. Default: the host of the server. */
  readonly servername?: string;
}

/** The fields of {@link ServerTls}. */
const tlsFields: readonly (keyof ServerTls)[] = ['ca', 'cert', 'key', 'passphrase', 'servername'];

/**
 * The kinds of options:
 * - `boolean`, `number` or `name`, a text that is not empty: a URL may set it;
 * - `tls`: `true` or `false`, which a URL may set, {@link ServerTls}, or a function that returns it;
 * - `certificates`: as `tls`, but neither `true` nor `false`;
 * - `secret`: a text, or a function that returns one;
 * - `hosts`: a list of servers, each as `HOST` or `HOST:PORT`, by a name that ends with "s".
 */
export type OptionKind =
  | 'boolean'
  | 'certificates'
  | 'hosts'
  | 'name'
  | 'number'
  | 'secret'
  | 'tls';

/** The options of an adapter beside those of every source. */
export interface OwnOptions {
  /** Their names, for `resolveOptions`. */
  readonly names: readonly string[];
  /** Those that a URL may set. */
  readonly parameters: UrlParameters;
  /**
   * Checks that each is absent, or what it should be. An adapter checks the rest.
   * @throws LeadershipError `invalid-options`
   */
  check(options: object): void;
  /**
   * Completes and checks the options that all backends share, and these. `partitions`: the largest number
   * that was tested on the backend, and its name.
   * @throws LeadershipError `invalid-options`
   */
  resolve(
    options: SourceOptions,
    partitions: NonNullable<OptionLimits['partitions']>,
  ): ResolvedOptions;
  /**
   * Resolves with these options as they are now: calls the functions of secrets and certificates, and takes
   * `tls: true` for certificates without fields. Those without a value are missing.
   */
  current<Options extends object>(
    options: Options,
    signal: AbortSignal,
  ): Promise<CurrentOptions<Options>>;
}

/** Options of an adapter without functions. Those that may be one are no longer `true` or `false` either. */
export type CurrentOptions<Options> = {
  readonly [Name in keyof Options]?: [Extract<Options[Name], () => unknown>] extends [never]
    ? Options[Name]
    : Exclude<Options[Name], boolean | (() => unknown)>;
};

const inUrl: Readonly<Partial<Record<OptionKind, UrlParameters[string]>>> = {
  boolean: 'boolean',
  name: 'string',
  number: 'number',
  tls: 'boolean',
};

/**
 * Describes the options of an adapter. `moreTlsFields`: what its certificates have beside the fields of
 * {@link ServerTls}.
 */
export function ownOptions<Options extends SourceOptions>(
  kinds: Readonly<Record<Exclude<keyof Options, keyof SourceOptions> & string, OptionKind>>,
  moreTlsFields: readonly string[] = [],
): OwnOptions {
  const entries = Object.entries<OptionKind>(kinds);
  const names = Object.keys(kinds);
  const checkOwn = (options: object): void => {
    for (const [name, kind] of entries)
      checkOption(name, kind, Reflect.get(options, name), [...tlsFields, ...moreTlsFields]);
  };
  return {
    names,
    parameters: Object.fromEntries(
      entries.flatMap(([name, kind]) => {
        const type = inUrl[kind];
        return type === undefined ? [] : [[name, type] as const];
      }),
    ),
    check: checkOwn,
    resolve(options, partitions) {
      checkOwn(options);
      return resolveOptions(options, { own: names, partitions, keepsPartitionsMax: true });
    },
    async current<Given extends object>(options: Given, signal: AbortSignal) {
      const values = await Promise.all(
        entries.map(async ([name, kind]) => {
          const value = await currentOf(name, kind, Reflect.get(options, name), signal);
          return [name, value] as const;
        }),
      );
      const given = values.filter(([, value]) => value !== undefined);
      return Object.fromEntries(given) as CurrentOptions<Given>;
    },
  };
}

/** Resolves with the value of an option as it is now; `undefined` if it has none. */
async function currentOf(
  name: string,
  kind: OptionKind,
  value: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (kind === 'secret' && value !== undefined)
    return supplied(name, 'string', value as Supplied<string>, signal);
  if (kind !== 'tls' && kind !== 'certificates') return value;
  if (typeof value === 'boolean' || value === undefined) return value ? {} : undefined;
  return supplied(name, 'object', value as Supplied<object>, signal);
}

function checkOption(
  name: string,
  kind: OptionKind,
  value: unknown,
  fields: readonly string[],
): void {
  if (kind === 'hosts') checkHosts(name.replace(/s$/, ''), value);
  else if (kind === 'secret') checkSecret(name, value);
  else if (kind === 'name') checkNames({ [name]: value });
  else if (kind === 'tls' || kind === 'certificates') {
    check(
      kind === 'tls' || typeof value !== 'boolean',
      `${name} must be an object with certificates, or a function`,
    );
    if (typeof value === 'object' && value !== null) checkFields(name, value, fields);
    checkTls(name, value);
  } else checkTypes(kind, { [name]: value });
}
