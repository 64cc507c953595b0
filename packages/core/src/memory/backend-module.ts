import { mergeAddress } from '../adapter/resolve-options.ts';
import type { BackendModule } from '../contract/backend-module.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { memoryGroup } from './groups.ts';

/** The backend of `memory:GROUP` URLs. */
export const backend: BackendModule = {
  scheme: 'memory',
  parameters: {},
  open(address, options) {
    const { hosts, path } = address;
    if (hosts.length > 0 || path === '')
      throw new LeadershipError(
        'invalid-options',
        'a memory URL names its group and nothing else: memory:GROUP',
      );
    const { group, ...rest } = mergeAddress(address, options, { group: path });
    return memoryGroup(group).join(rest);
  },
};
