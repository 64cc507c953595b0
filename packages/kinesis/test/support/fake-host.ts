export { recordingHost as fakeHost } from '@leadership/testkit/adapter';
