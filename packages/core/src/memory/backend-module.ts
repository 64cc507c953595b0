import { mergeAddress } from '../adapter/resolve-options.ts';
import type { BackendModule } from '../contract/backend-module.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { memoryGroup } from './groups.ts';

/** The backend of `memory:GROUP` URLs. */
export const backend: BackendModule = {
  scheme: 'memory',
  parameters: {},
  open(address, options) {
    const { group = address.path, ...rest } = mergeAddress(address, options);
    const isPlain = address.hosts.length === 0 && address.path !== '' && group === address.path;
    if (!isPlain)
      throw new LeadershipError(
        'invalid-options',
        'a memory URL names its group and nothing else: memory:GROUP',
      );
    return memoryGroup(group).join(rest);
  },
};
