// The file backend with a wrong rule: a leader counts T from the answer to its renewal.
import { leaseRules } from '@leadership/core/internal/sessions';

export { backend } from '@leadership/file';

leaseRules.validUntil = (_sentAt, seenAt, thresholdMs) => seenAt + thresholdMs;
