// Child processes of the benchmarks and of the demo. Members of tests are those of the testkit.

export { inputOf, nowNs, report } from './in-child.ts';
export { startNativeChild } from './native-child.ts';
export { type Child, type Message, startChild } from './start-child.ts';
