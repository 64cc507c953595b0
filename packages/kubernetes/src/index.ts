/**
 * Leader election on Kubernetes: `Lease` objects of one namespace hold the leases of all groups, and
 * `kubectl get lease` shows the leaders. {@link kubernetesLeadership} opens a source on them, and so does
 * `openLeadership('kubernetes:NAMESPACE?group=GROUP')`.
 *
 * @packageDocumentation
 */
export { backend, kubernetesLeadership } from './kubernetes-leadership.ts';
export type { KubernetesOptions, KubernetesTls } from './options.ts';
export type { KubernetesUrlOptions } from './url-options.ts';
