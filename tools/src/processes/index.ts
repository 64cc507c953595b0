// Child processes of the benchmarks and of the demo. Members of tests are those of the testkit.
export { type Child, type Message, startChild } from './child.ts';
export { startNativeChild } from './native-child.ts';
export { inputOf, nowNs, report } from './parent.ts';
