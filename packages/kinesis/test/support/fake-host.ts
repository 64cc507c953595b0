export { notingHost as fakeHost } from '@leadership/testkit/adapter';
