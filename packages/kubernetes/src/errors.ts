// Maps the errors of the API server, of TLS and of the connection to this library's errors.
import { type ErrorMapper, type ErrorMeaning, errorMapper } from '@leadership/core/adapter';

/** The verbs that a member needs on the leases of its namespace. */
const verbs = ['get', 'list', 'watch', 'create', 'update', 'delete'] as const;

const final = 'misconfigured-backend';
/** How to give a member the rights that it needs. */
export const grant: string = `grant ${verbs.join(', ')} on leases of coordination.k8s.io`;
const meanings: readonly ErrorMeaning[] = [
  [/being terminated/, 'unreachable', 'the namespace is being deleted: create it again'],
  [/not yet ready to handle/, 'unreachable', 'the server has just started'],
  [/^http-404 namespaces /, final, 'the namespace does not exist: create it, or correct the name'],
  [/^http-404 /, final, 'no API of Kubernetes with leases answers there: correct the server'],
  [
    /^http-401 /,
    'unauthorized',
    'the token or the client certificate is not valid: set a current one',
  ],
  [/exceeded quota/, final, 'the quota of the namespace is used up: raise that of leases'],
  [/^http-403 .*forbidden: User/, 'unauthorized', `the user lacks a right: ${grant}`],
  [/^http-4(00|03|22) /, final, 'the server, or an admission policy, refuses the object: allow it'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH/, final, 'the server does not offer TLS: correct its port'],
  [/^ERR_OSSL_/, final, 'the certificates or the key cannot be read: they must be PEM'],
  [/^ERR_INVALID_CHAR/, 'unauthorized', 'no header may have the token: has it a line break?'],
  [/ALERT/, final, 'the server refuses the certificate of this client: correct it'],
  [/ECONNRESET|socket hang up/, 'unreachable', 'the server, or a proxy, has ended the connection'],
  [/CERT|SIGNATURE/, final, 'the certificate of the server is not trusted: correct ca'],
];

/** Maps an error of the API server, of TLS or of the connection. */
export const kubernetesError: ErrorMapper = errorMapper(meanings);
