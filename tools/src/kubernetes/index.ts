/**
 * A real API server of Kubernetes beside etcd: for tests and benchmarks.
 *
 * @packageDocumentation
 */
export { hasKubernetes, kubectlProgram } from './has-kubernetes.ts';
export { type KubectlProxy, kubectlProxy } from './kubectl-proxy.ts';
export {
  askKubernetes,
  type KubernetesRequest,
  type LocalKubernetes,
  type LocalKubernetesOptions,
  localKubernetes,
} from './local-kubernetes.ts';
