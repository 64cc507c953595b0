import { expect, test } from 'vitest';
import { majorVersion } from '../../src/backends/java.ts';

test.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['openjdk version "21" 2023-09-19\nOpenJDK Runtime Environment', 21],
  ['Picked up JAVA_TOOL_OPTIONS: -Xshare:auto\njava version "1.8.0_292"', 8],
  ['bash: java: command not found', Number.NaN],
])('the major version is read from what Java says of itself: %s', (said, version) => {
  expect(majorVersion(said)).toBe(version);
});
