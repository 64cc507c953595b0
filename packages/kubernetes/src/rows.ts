// The rows of a group as `Lease` objects of one namespace. A member watches them. An exchange changes each on the
// condition that it is still as it was received, and has an answer once the watch shows the changes; without
// a watch it lists them.
import { LeadershipError } from '@leadership/core';
import {
  codeIn,
  type Exchanged,
  type Host,
  type Inspection,
  ListedExchanges,
  type NotificationListener,
  type Rows,
  type RowsTraits,
  type ServerExchange,
  type ServerHost,
  type ServerRows,
  serverRows,
  withTimeout,
} from '@leadership/core/adapter';
import type { Api, ApiRequest } from './api.ts';
import { grant, kubernetesError } from './errors.ts';
import {
  type FoundRow,
  isSame,
  type LeaseObject,
  type Listing,
  notificationIn,
  objectName,
  objectOf,
  rowIn,
  selectorOf,
  versionOf,
  wentBack,
} from './lease.ts';
import type { KubernetesOptions } from './options.ts';
import { Watched } from './watched.ts';

/** The configuration of the rows. */
export type KubernetesRowsOptions = Required<
  Pick<KubernetesOptions, 'group' | 'thresholdMs' | 'notifications'>
>;

/** The reply to a list. */
interface LeaseList extends Pick<LeaseObject, 'metadata'> {
  readonly items?: readonly LeaseObject[];
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
  readonly #exchanges: ListedExchanges<FoundRow, Listing>;
  readonly #clock: Host['clock'];
  readonly #selection: string;
  /** How long a member waits for its watch to show a change that it has made. Milliseconds. */
  readonly #lateMs: number;
  /** The rows as the watch shows them. */
  #watched: Watched | undefined;

  constructor(
    api: Api,
    { group, thresholdMs }: KubernetesRowsOptions,
    { incarnation, clock }: Pick<Host, 'incarnation' | 'clock'>,
  ) {
    this.name = `leases of Kubernetes, group ${JSON.stringify(group)}`;
    this.#api = api;
    this.#group = group;
    this.#lateMs = thresholdMs / 32;
    this.#clock = clock;
    this.#exchanges = new ListedExchanges({ incarnation, isOther: wentBack, isSame });
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
    const now = new Date();
    const watched = this.#watched;
    let known: Listing | undefined;
    const textOf = (name: string): string | undefined =>
      request.changes.find((change) => change.name === name)?.text ?? known?.rows.get(name)?.text;
    return this.#exchanges.exchanged(request, {
      make: async ({ name, text }, row, notification) => {
        // A signal of its own: Node warns of a leak where many requests listen to one.
        const own = AbortSignal.any([signal]);
        const isMade = await (text === null
          ? row !== undefined && this.#remove(row, own)
          : this.#write({ name, notification, textOf, now, text, before: row?.object }, own));
        const limits = { clock: this.#clock, limitMs: this.#lateMs, signal: own };
        // A watch that is late is not waited for: the member lists.
        if (isMade && watched)
          await withTimeout(limits, (until) => watched.changed(name, row, until)).catch(() => {});
        return isMade;
      },
      list: async () => (known = await this.#list(signal)),
      received: async () => (known = watched?.listing),
    });
  }

  /** Watches the objects of the group until the signal aborts. Throws when the connection fails. */
  async listen(listener: NotificationListener, signal: AbortSignal): Promise<void> {
    const watched = new Watched(this.#group);
    watched.begin(await this.#list(signal));
    const listening = (): void => {
      if (this.#watched !== watched) listener.listening();
      this.#watched = watched;
    };
    try {
      while (!signal.aborted) {
        const [from, beganAt] = [watched.revision, this.#clock.now()];
        try {
          await this.#follow(watched, { ...listener, listening }, signal);
          if (watched.revision === from && this.#clock.now() - beganAt < watchMsMin)
            throw new Error('the server ends the watch at once');
        } catch (error) {
          if (codeIn(error) !== 'http-410') throw error;
          // The server has dropped the versions in between: what changed meanwhile is unknown.
          watched.begin(await this.#list(signal));
          listener.notified('');
        }
      }
    } finally {
      this.#watched = undefined;
    }
  }

  close(): void {
    this.#api.close();
  }

  async #list(signal: AbortSignal): Promise<Listing> {
    const path = `${await this.#path(signal)}?${this.#selection}`;
    const list: LeaseList = await this.#api.send({ method: 'GET', path }, signal);
    const found = (list.items ?? []).flatMap((item) => rowIn(this.#group, item) ?? []);
    return { rows: new Map(found.map((row) => [row.name, row])), revision: versionOf(list) };
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

  /** Follows one watch until the server ends it. */
  async #follow(
    watched: Watched,
    { listening, notified }: NotificationListener,
    signal: AbortSignal,
  ): Promise<void> {
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${watched.revision}`;
    const path = `${await this.#path(signal)}?${this.#selection}&${query}`;
    for await (const event of this.#api.watch(path, signal)) {
      if (event.type === 'OPENED') listening();
      const row = watched.take(event);
      // A text of another kind says that rows may have changed.
      const text = row && (event.type === 'DELETED' ? '' : notificationIn(row));
      if (text !== undefined) notified(text);
    }
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
