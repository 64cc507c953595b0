import { expect, test } from 'vitest';
import { shortcoming } from '../../src/backends/java.ts';

test.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['openjdk version "21" 2023-09-19\nOpenJDK Runtime Environment', 17],
  ['Picked up JAVA_TOOL_OPTIONS: -Xshare:auto\njava version "1.8.0_292"', 8],
])('a Java that is new enough is accepted: %s', (output, least) => {
  expect(shortcoming(output, least)).toBeUndefined();
});

test.each([
  ['openjdk version "11.0.2" 2019-01-15', 'Java is version 11, but Java 17 or newer is needed'],
  ['java version "1.8.0_292"', 'Java is version 8, but Java 17 or newer is needed'],
  ['no such thing', 'Java is version NaN, but Java 17 or newer is needed'],
  [undefined, 'Java is missing: install Java 17 or newer'],
])('another Java is rejected, and the reason states what to install: %s', (output, reason) => {
  expect(shortcoming(output, 17)).toContain(reason);
});
