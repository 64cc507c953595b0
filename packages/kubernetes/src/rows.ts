// The rows of a group as `Lease` objects of one namespace. An exchange lists them, and then changes each on
// the condition that it is still as it was listed.
import { LeadershipError } from '@leadership/core';
import {
  codeIn,
  type Exchanged,
  exchangedAsListed,
  type Host,
  type Inspection,
  type NotificationListener,
  type Rows,
  type RowsTraits,
  type ServerExchange,
  type ServerHost,
  type ServerRows,
  serverRows,
} from '@leadership/core/adapter';
import type { Api, ApiRequest, Reply } from './api.ts';
import { grant, kubernetesError } from './errors.ts';
import {
  type FoundRow,
  type LeaseObject,
  notificationIn,
  objectName,
  objectOf,
  rowIn,
  selectorOf,
} from './lease.ts';

/** The configuration of the rows. */
export interface KubernetesRowsOptions {
  readonly group: string;
  readonly thresholdMs: number;
  readonly notifications: boolean;
}

/** All rows at one instant. */
interface Listing {
  readonly rows: ReadonlyMap<string, FoundRow>;
  /** The version of the store. A smaller one than before shows that changes were lost. */
  readonly revision: bigint;
}

/** The reply to a list. */
interface LeaseList {
  readonly items?: readonly LeaseObject[];
  readonly metadata?: { readonly resourceVersion?: string };
}

/**
 * Each change is a request, and the changes of an exchange share its limit of T/4. The API server admits
 * about that many of one user at a time before it makes others wait.
 */
const changesMax = 32;

/** A watch that ends sooner, and without an event, was refused. Milliseconds. */
const watchMsMin = 1000;

/** The rights of a member that takes part, and of an observer that reads. Without `watch` a member polls, and warns. */
const verbsNeeded = {
  member: ['get', 'list', 'create', 'update', 'delete'],
  observer: ['list'],
} as const;

const accessReviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Returns the rows of a group, over the API server as one member reaches it. */
export function kubernetesRows(api: Api, options: KubernetesRowsOptions, host: ServerHost): Rows {
  const server = new KubernetesRows(api, options, host);
  return serverRows(server, { ...options, host, toError: kubernetesError });
}

class KubernetesRows implements ServerRows {
  readonly name: string;
  readonly traits: RowsTraits = { changesMax, readsFirst: true };
  readonly #api: Api;
  readonly #group: string;
  readonly #host: Pick<Host, 'incarnation' | 'clock'>;
  readonly #selection: string;

  constructor(
    api: Api,
    { group }: KubernetesRowsOptions,
    host: Pick<Host, 'incarnation' | 'clock'>,
  ) {
    this.name = `leases of Kubernetes, group ${JSON.stringify(group)}`;
    this.#api = api;
    this.#group = group;
    this.#host = host;
    this.#selection = `labelSelector=${encodeURIComponent(selectorOf(group))}`;
  }

  /** Creates nothing: a namespace belongs to its administrator. Checks the rights. */
  async open(signal: AbortSignal, mayCreate: boolean): Promise<Inspection> {
    const namespace = await this.#api.namespace(signal);
    const needed = verbsNeeded[mayCreate ? 'member' : 'observer'];
    const allowed = await Promise.all(
      needed.map((verb) => this.#mayI(verb, namespace, AbortSignal.any([signal]))),
    );
    const missing = needed.filter((_, index) => !allowed[index]);
    if (missing.length === 0) return {};
    throw new LeadershipError(
      'unauthorized',
      `the user may not ${missing.join(', ')} leases in namespace ${namespace}: ${grant}`,
    );
  }

  async exchange(request: ServerExchange, signal: AbortSignal): Promise<Exchanged> {
    const listing = await this.#list(signal);
    const { rows } = listing;
    const now = new Date();
    const textOf = (name: string): string | undefined =>
      request.changes.find((change) => change.name === name)?.text ?? rows.get(name)?.text;
    return exchangedAsListed<FoundRow, Listing>(request, listing, {
      incarnation: this.#host.incarnation,
      isOther: (before, { revision }) => revision < before.revision,
      make: async ({ name, text }, row, notification) => {
        // A signal of its own: Node warns of a leak where many requests listen to one.
        const own = AbortSignal.any([signal]);
        if (text === null) return row !== undefined && (await this.#remove(row, own));
        return this.#write({ name, notification, textOf, now, text, before: row?.object }, own);
      },
      listAgain: () => this.#list(signal),
    });
  }

  /** Watches the objects of the group until the signal aborts. Throws when the connection fails. */
  async listen(listener: NotificationListener, signal: AbortSignal): Promise<void> {
    let from = await this.#newest(signal);
    let isFirst = true;
    const listening = (): void => {
      if (isFirst) listener.listening();
      isFirst = false;
    };
    while (!signal.aborted) {
      const beganAt = this.#host.clock.now();
      try {
        const last = await this.#follow(from, { ...listener, listening }, signal);
        if (last === from && this.#host.clock.now() - beganAt < watchMsMin)
          throw new Error('the server ends the watch at once');
        from = last;
      } catch (error) {
        if (codeIn(error) !== 'http-410') throw error;
        // The server has dropped the versions in between: what changed meanwhile is unknown.
        from = await this.#newest(signal);
        listener.notified('');
      }
    }
  }

  close(): void {
    this.#api.close();
  }

  async #list(signal: AbortSignal): Promise<Listing> {
    const { items = [], metadata } = await this.#objects('', signal);
    const found = items.flatMap((item) => rowIn(this.#group, item) ?? []);
    return {
      rows: new Map(found.map((row) => [row.name, row])),
      revision: BigInt(metadata?.resourceVersion ?? 0),
    };
  }

  /** Creates or replaces an object. Resolves with whether it was still as it was listed. */
  async #write(row: Parameters<typeof objectOf>[1], signal: AbortSignal): Promise<boolean> {
    const { before } = row;
    const path = await this.#path(signal);
    const own = `${path}/${objectName(this.#group, row.name)}`;
    const request = (body: object): ApiRequest =>
      before === undefined ? { method: 'POST', path, body } : { method: 'PUT', path: own, body };
    const isMade = await this.#isMade(request(objectOf(this.#group, row)), signal);
    if (isMade || before !== undefined) return isMade;
    // An object has the name, and may not be a row: a person has removed its label, or its annotation.
    const found = await this.#api
      .send({ method: 'GET', path: own }, signal)
      .catch((error: unknown) => {
        if (codeIn(error) === 'http-404') return undefined;
        throw error;
      });
    if (found === undefined || rowIn(this.#group, found as LeaseObject)) return false;
    return this.#write({ ...row, before: found as LeaseObject }, signal);
  }

  async #remove({ name, object }: FoundRow, signal: AbortSignal): Promise<boolean> {
    const { uid, resourceVersion } = object.metadata ?? {};
    const path = `${await this.#path(signal)}/${objectName(this.#group, name)}`;
    const body = { preconditions: { uid, resourceVersion } };
    return this.#isMade({ method: 'DELETE', path, body }, signal);
  }

  /** Sends a change. Resolves with whether its condition held. */
  async #isMade(request: ApiRequest, signal: AbortSignal): Promise<boolean> {
    try {
      const { metadata } = await this.#api.send(request, signal);
      // An object with a finalizer, which a person has added, is only marked.
      const { deletionTimestamp } = (metadata ?? {}) as { readonly deletionTimestamp?: string };
      return request.method !== 'DELETE' || deletionTimestamp === undefined;
    } catch (error) {
      const code = codeIn(error);
      const isGone = code === 'http-404' && request.method !== 'POST';
      if (code === 'http-409' || isGone) return false;
      throw error;
    }
  }

  /** Returns the version of the store now. */
  async #newest(signal: AbortSignal): Promise<string> {
    return (await this.#objects('&limit=1', signal)).metadata?.resourceVersion ?? '';
  }

  /** Lists the objects of the group. */
  async #objects(query: string, signal: AbortSignal): Promise<LeaseList> {
    const path = `${await this.#path(signal)}?${this.#selection}${query}`;
    return this.#api.send({ method: 'GET', path }, signal);
  }

  /** Follows one watch until the server ends it. Resolves with the version from which the next one goes on. */
  async #follow(
    from: string,
    { listening, notified }: NotificationListener,
    signal: AbortSignal,
  ): Promise<string> {
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${from}`;
    const path = `${await this.#path(signal)}?${this.#selection}&${query}`;
    let last = from;
    for await (const event of this.#api.watch(path, signal)) {
      const { type, object = {} } = event as Reply & { readonly object?: LeaseObject };
      if (type === 'OPENED') listening();
      last = object.metadata?.resourceVersion ?? last;
      const text = this.#noticeIn(type, object);
      if (text !== undefined) notified(text);
    }
    return last;
  }

  /** Returns what an event notifies of. */
  #noticeIn(type: unknown, object: LeaseObject): string | undefined {
    const row = rowIn(this.#group, object);
    // A text of another kind says that rows may have changed.
    return row && type === 'DELETED' ? '' : row && notificationIn(row);
  }

  async #mayI(verb: string, namespace: string, signal: AbortSignal): Promise<boolean> {
    const leases = { group: 'coordination.k8s.io', resource: 'leases' };
    const body = {
      ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' },
      spec: { resourceAttributes: { namespace, verb, ...leases } },
    };
    const request = { method: 'POST', path: accessReviews, body } as const;
    try {
      const { status } = await this.#api.send(request, signal);
      return (status as { readonly allowed?: boolean } | undefined)?.allowed === true;
    } catch (error) {
      // The server does not tell this user; the requests themselves will show it.
      if (/^http-40[34]$/.test(codeIn(error))) return true;
      throw error;
    }
  }

  /** Returns the path of the objects of the namespace. */
  async #path(signal: AbortSignal): Promise<string> {
    const namespace = await this.#api.namespace(signal);
    return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  }
}
