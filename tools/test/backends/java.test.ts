import { expect, test } from 'vitest';
import { shortcoming } from '../../src/backends/java.ts';

test.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['openjdk version "21" 2023-09-19\nOpenJDK Runtime Environment', 17],
  ['Picked up JAVA_TOOL_OPTIONS: -Xshare:auto\njava version "1.8.0_292"', 8],
])('a Java that is new enough will do: %s', (said, least) => {
  expect(shortcoming(said, least)).toBeUndefined();
});

test.each([
  ['openjdk version "11.0.2" 2019-01-15', 'Java is version 11, and Java 17 or newer is needed'],
  ['java version "1.8.0_292"', 'Java is version 8, and Java 17 or newer is needed'],
  ['no such thing', 'Java is version NaN, and Java 17 or newer is needed'],
  [undefined, 'Java is missing: install Java 17 or newer'],
])('another will not, and the reason says what to install: %s', (said, reason) => {
  expect(shortcoming(said, 17)).toContain(reason);
});
