// Ensures that all members use one region: with the same table in two regions a group elects two
// leaders. Options, the URL, ARNs, clients and endpoints can all set a region. Only the request
// that is about to be sent shows which setting won.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LeadershipError } from '@leadership/core';
import { waitFor } from '@leadership/core/adapter';
import type { Credentials } from './credentials.ts';

/** A region, with the setting that names it, as in `the ARN of the table`. */
export interface NamedRegion {
  readonly by: string;
  readonly region: string | undefined;
}

/** The domains of AWS endpoints. Other hosts, such as an emulator's, do not name a region. */
const awsDomains = [
  '.amazonaws.com',
  '.amazonaws.com.cn',
  '.api.aws',
  '.api.amazonwebservices.com.cn',
  '.amazonaws.eu',
];
/** The format of AWS region names. */
const regionPattern = /^[a-z]{2,4}(-[a-z]+)+-\d+$/;

/** Returns the region in an ARN; `undefined` if the name is not an ARN. */
export function regionOfArn(name: string | undefined): string | undefined {
  return name?.startsWith('arn:') ? name.split(':')[3] : undefined;
}

/** Returns the region of an AWS endpoint; `undefined` if the host does not belong to AWS. */
export function regionOfHost(host: string): string | undefined {
  if (!awsDomains.some((domain) => host.endsWith(domain))) return undefined;
  return host.split('.').find((label) => regionPattern.test(label));
}

/** Describes the first difference between the regions in a sentence; `undefined` if all agree. */
export function differenceOf(named: readonly NamedRegion[]): string | undefined {
  const known = named.filter(({ region }) => region !== undefined);
  const [first] = known;
  const other = known.find(({ region }) => region !== first?.region);
  if (first === undefined || other === undefined) return undefined;
  return `${first.by} names region ${first.region}, but ${other.by} names ${other.region}: all must name the same region, because a group in two regions elects two leaders`;
}

/**
 * Returns the regions in the configuration of a client. A ready client and computed values are only
 * checked with each request.
 */
export function regionsOfConfig(by: string, config: object | undefined): readonly NamedRegion[] {
  if (config === undefined || 'send' in config) return [];
  const { region, endpoint } = config as { readonly region?: unknown; readonly endpoint?: unknown };
  return [
    { by: `the region of \`${by}\``, region: typeof region === 'string' ? region : undefined },
    {
      by: `the endpoint of \`${by}\``,
      region: typeof endpoint === 'string' ? regionOfHost(hostOf(endpoint)) : undefined,
    },
  ];
}

/** Checks a request before this process sends it. */
type RequestCheck = (request: unknown) => Promise<void>;

/** The settings with which the region of each request is compared. */
export interface RegionCheck {
  readonly kind: 'table' | 'stream';
  readonly name: string;
  /** Returns the requested region, if one was requested. */
  readonly wanted: () => Promise<NamedRegion | undefined>;
  readonly client: { readonly config: { readonly region: unknown } };
}

/**
 * Creates a check that rejects requests to another region than the requested one. It rejects with
 * `misconfigured-backend` and names both regions.
 */
export function requestCheck({ kind, name, wanted, client }: RegionCheck): RequestCheck {
  return async (request) => {
    const { hostname = '', headers = {} } = request as {
      readonly hostname?: string;
      readonly headers?: Readonly<Record<string, string>>;
    };
    const region = client.config.region as () => Promise<string>;
    const asked = await wanted();
    const difference = differenceOf([
      ...(asked ? [asked] : []),
      { by: `the ARN of the ${kind}`, region: regionOfArn(name) },
      { by: `the client of the ${kind}`, region: await region() },
      { by: 'the signature of the request', region: signingRegionOf(headers['authorization']) },
      { by: `the endpoint ${hostname}`, region: regionOfHost(hostname) },
    ]);
    if (difference !== undefined)
      throw new LeadershipError('misconfigured-backend', `${kind} "${name}": ${difference}`);
  };
}

/** Adds the check to a command. The check runs on the complete request, before it is sent. */
function checked<Command extends object>(command: Command, check: RequestCheck): Command {
  // Each command has its own middleware stack, so the application's client is not modified.
  const { middlewareStack } = command as Pick<DynamoDBClient, 'middlewareStack'>;
  middlewareStack.add(
    (next) => async (args) => {
      await check(args.request);
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'leadershipRegionCheck' },
  );
  return command;
}

function hostOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).hostname : endpoint;
}

/**
 * Returns the region of a signature. The format is
 * `Credential=KEY/DATE/REGION/SERVICE/aws4_request`.
 */
function signingRegionOf(authorization: string | undefined): string | undefined {
  const region = authorization?.match(/Credential=[^/]+\/\d+\/([^/]+)\//)?.[1];
  return region === '*' ? undefined : region;
}

/**
 * Returns a sender that checks each request of `client`. It waits for the credentials first, so that
 * the error of a request that had to wait for them names them.
 */
export function checkedSender<
  Client extends { readonly send: unknown; readonly config: { readonly credentials?: unknown } },
>(client: Client, check: RequestCheck): Pick<Client, 'send'> {
  const send = (client.send as (...args: readonly unknown[]) => Promise<unknown>).bind(client);
  const sendChecked = async (
    command: object,
    options: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<unknown> => {
    const { credentials } = client.config;
    const { abortSignal } = options;
    if (typeof credentials === 'function' && abortSignal !== undefined)
      await waitFor('the AWS credentials', (credentials as Credentials)(), abortSignal);
    return send(checked(command, check), options);
  };
  return { send: sendChecked as unknown as Client['send'] };
}
