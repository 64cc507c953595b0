// The options of an adapter beside those of every source, from one table: which there are, what each is, and
// which a URL may set.
import type { UrlParameters } from '../contract/backend-module.ts';
import { check } from '../contract/check-option.ts';
import type { SourceOptions } from '../contract/options.ts';
import { checkFields, checkHosts, checkNames, checkTypes } from './server-options.ts';
import { checkSecret, checkTls } from './supplied.ts';

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
}

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
  return {
    names: Object.keys(kinds),
    parameters: Object.fromEntries(
      entries.flatMap(([name, kind]) => {
        const type = inUrl[kind];
        return type === undefined ? [] : [[name, type] as const];
      }),
    ),
    check(options) {
      for (const [name, kind] of entries)
        checkOption(name, kind, Reflect.get(options, name), [...tlsFields, ...moreTlsFields]);
    },
  };
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
