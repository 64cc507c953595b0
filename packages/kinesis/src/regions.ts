// A lease is safe in one region only: the same table in two regions elects two leaders. A region can be named by an option, a URL, an
// ARN, a client and an endpoint; the request that is about to be sent shows which of them won.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LeadershipError } from '@leadership/core';

/** A region, and what names it: `the ARN of the table`. */
export interface NamedRegion {
  readonly by: string;
  readonly region: string | undefined;
}

/** The domains under which AWS serves its endpoints. Any other host, as an emulator's, names no region. */
const awsDomains = ['.amazonaws.com', '.amazonaws.com.cn', '.api.aws', '.api.amazonwebservices.com.cn', '.amazonaws.eu'];
/** A region as AWS names one. */
const regionPattern = /^[a-z]{2,4}(-[a-z]+)+-\d+$/;

/** The region in an ARN; `undefined` where the name is no ARN. */
export function regionOfArn(name: string | undefined): string | undefined {
  return name?.startsWith('arn:') ? name.split(':')[3] : undefined;
}

/** The region of an AWS endpoint by its host name; `undefined` where the host is not AWS'. */
export function regionOfHost(host: string): string | undefined {
  if (!awsDomains.some((domain) => host.endsWith(domain))) return undefined;
  return host.split('.').find((label) => regionPattern.test(label));
}

/** What differs among the regions that are named, in words; `undefined` where all agree. */
export function differenceOf(named: readonly NamedRegion[]): string | undefined {
  const known = named.filter(({ region }) => region !== undefined);
  const [first] = known;
  const other = known.find(({ region }) => region !== first?.region);
  if (first === undefined || other === undefined) return undefined;
  return `${first.by} names region ${first.region}, and ${other.by} names ${other.region}: all must name one region, because a group in two regions elects two leaders`;
}

/** The regions that the options of a client name. A ready client, and what is computed, is checked with its requests. */
export function regionsOfConfig(by: string, config: object | undefined): readonly NamedRegion[] {
  if (config === undefined || 'send' in config) return [];
  const { region, endpoint } = config as { readonly region?: unknown; readonly endpoint?: unknown };
  return [
    { by: `the region of \`${by}\``, region: typeof region === 'string' ? region : undefined },
    { by: `the endpoint of \`${by}\``, region: typeof endpoint === 'string' ? regionOfHost(hostOf(endpoint)) : undefined },
  ];
}

/** Checks a request before it leaves this process. */
type RequestCheck = (request: unknown) => Promise<void>;

/** What the regions of a client's requests are compared with. */
export interface RegionCheck {
  readonly kind: 'table' | 'stream';
  readonly name: string;
  /** The region that was asked for, where one was. */
  readonly wanted: () => Promise<NamedRegion | undefined>;
  readonly client: { readonly config: { readonly region: unknown } };
}

/**
 * Refuses requests that would go to another region than the one that was asked for.
 * @returns a check that rejects with `misconfigured-backend` and both regions
 */
export function requestCheck({ kind, name, wanted, client }: RegionCheck): RequestCheck {
  return async (request) => {
    const { hostname = '', headers = {} } = request as { readonly hostname?: string; readonly headers?: Readonly<Record<string, string>> };
    const region = client.config.region as () => Promise<string>;
    const asked = await wanted();
    const difference = differenceOf([
      ...(asked ? [asked] : []),
      { by: `the ARN of the ${kind}`, region: regionOfArn(name) },
      { by: `the client of the ${kind}`, region: await region() },
      { by: 'the signature of the request', region: signingRegionOf(headers['authorization']) },
      { by: `the endpoint ${hostname}`, region: regionOfHost(hostname) },
    ]);
    if (difference !== undefined) throw new LeadershipError('misconfigured-backend', `${kind} "${name}": ${difference}`);
  };
}

/** The same command, whose request is checked once it is complete, and before it is sent. */
function checked<Command extends object>(command: Command, check: RequestCheck): Command {
  // Every command has a stack of its own, so a client of the application's is left as it is.
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

/** `Credential=KEY/DATE/REGION/SERVICE/aws4_request`. */
function signingRegionOf(authorization: string | undefined): string | undefined {
  const region = authorization?.match(/Credential=[^/]+\/\d+\/([^/]+)\//)?.[1];
  return region === '*' ? undefined : region;
}

/** What sends the requests of `client`, each of them checked. */
export function checkedSender<Client extends { readonly send: unknown }>(client: Client, check: RequestCheck): Pick<Client, 'send'> {
  const send = (client.send as (...args: readonly unknown[]) => unknown).bind(client);
  const sendChecked = (command: object, ...rest: readonly unknown[]): unknown => send(checked(command, check), ...rest);
  return { send: sendChecked as unknown as Client['send'] };
}
