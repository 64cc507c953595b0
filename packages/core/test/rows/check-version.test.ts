import { describe, expect, it } from 'vitest';
import { checkVersion } from '../../src/rows/check-version.ts';

describe('the release of a server', () => {
  it.each([
    ['2.10.23', '2.10.23'],
    ['2.11.0', '2.10.23'],
    ['3.0.0', '2.10.23'],
    ['2.12.0-RC.1', '2.10.23'],
    ['10.11.6-MariaDB-0+deb12u1', '10.6'],
    ['8.0', '8.0'],
  ])('%s is accepted where %s is the oldest', (version, oldest) => {
    expect(() => checkVersion('x', version, oldest)).not.toThrow();
  });

  it.each([
    ['2.10.22', '2.10.23'],
    ['2.9.99', '2.10.23'],
    ['1.99.99', '2.10.23'],
    ['10.5.27-MariaDB', '10.6'],
    ['6', '6.2'],
    ['', '6.2'],
  ])('%s is refused where %s is the oldest', (version, oldest) => {
    expect(() => checkVersion('x', version, oldest)).toThrow(
      `the server is x ${version}, but ${oldest} is the oldest that is supported: upgrade it`,
    );
  });
});
