// The file backend with a wrong rule: a leader renews every T/2.
import { ledgerRules } from '@leadership/core/internal/ledger';

export { backend } from '@leadership/file';

ledgerRules.renewMs = (thresholdMs) => thresholdMs / 2;
