export { eventually } from '@leadership/testkit/adapter';
