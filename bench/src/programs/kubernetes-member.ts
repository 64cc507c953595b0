// The backend of a member that has a token. A URL contains none.
import type { BackendModule } from '@leadership/core/adapter';
import { backend as kubernetes } from '@leadership/kubernetes';

export const backend: BackendModule = {
  ...kubernetes,
  open: (address, options) => {
    const token = process.env['KUBERNETES_TOKEN'];
    return kubernetes.open(address, Object.assign({ token }, options));
  },
};
