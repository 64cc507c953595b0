// Which part of the value of an environment variable `leadership env` prints: never a secret.
import { commonParameters } from '@leadership/core/internal';
import { optionsIn } from '../open-source.ts';
import { optionsVariable, type Variable } from './variables.ts';

/** Is printed instead of a secret. */
const hidden = '***';

/**
 * The parameters of a URL whose values are printed: those of every backend, and those of one. Others
 * are hidden, because a user may have written them by mistake, and so is an address in another address.
 */
const shownParameters: ReadonlySet<string> = new Set([
  ...Object.keys(commonParameters),
  ...[
    'topic',
    'client',
    'sessionTimeoutMs',
    'topicCheck',
    'guarantee',
    'beats',
    'table',
    'hashKey',
  ],
  ...['rangeKey', 'create', 'homeRegion', 'leaseMs', 'membersMax', 'roundTripMs', 'skewMs'],
  ...['stateDirectory', 'restart', 'stateLost', 'joins', 'insecure', 'intervalMs', 'fanout'],
  ...['user', 'username', 'prefix', 'tls', 'notifications', 'schema', 'minReplicas', 'bucket'],
  ...['credentialsFile', 'inboxPrefix', 'replicas'],
]);

/** Returns the printed value of a variable. */
export function shownValue(shown: Variable['shown'], value: string): string {
  if (shown === 'url') return urlWithoutSecrets(value);
  if (shown === 'names') return namesIn(value);
  if (shown === 'number') return /^\d+$/.test(value) ? value : hidden;
  return value;
}

/**
 * Hides all that may be a secret: what stands before an @, parameters that no backend has, and a
 * text that is not a URL. URLs with secrets are refused, but a user may have written one.
 */
function urlWithoutSecrets(url: string): string {
  const [, scheme, slashes = ''] = /^([a-z][a-z0-9+.-]*:)(\/\/)?/i.exec(url) ?? [];
  if (scheme === undefined) return hidden;
  const rest = url.slice(scheme.length + slashes.length);
  const at = rest.lastIndexOf('@');
  const [place = '', ...query] = rest.slice(at + 1).split(/(?=[?&#])/);
  const user = at < 0 ? '' : `${hidden}@`;
  return [scheme, slashes, user, place, ...query.map(parameterWithoutSecret)].join('');
}

function parameterWithoutSecret(text: string): string {
  const [name = ''] = text.split('=');
  const isShown = !text.startsWith('#') && shownParameters.has(name.slice(1));
  // An unknown name may be a part of a secret that contains a sign.
  return isShown ? text : `${text.slice(0, 1)}${hidden}`;
}

/** Returns the names of the options in a JSON object, but no value. */
function namesIn(text: string): string {
  try {
    return Object.keys(optionsIn({ [optionsVariable]: text }))
      .map((name) => `${name}=${hidden}`)
      .join(' ');
  } catch {
    return 'not a JSON object';
  }
}
