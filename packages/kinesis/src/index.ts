/**
 * Leader election on AWS: a DynamoDB table is the ledger.
 *
 * @packageDocumentation
 */
export {};
