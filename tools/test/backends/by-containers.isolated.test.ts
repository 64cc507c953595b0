import { getContainerRuntimeClient } from 'testcontainers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startDynamoDb } from '../../src/aws/index.ts';
import { byContainers, missingEngine, startContainer } from '../../src/backends/by-containers.ts';
import { startKafka } from '../../src/kafka/index.ts';

vi.mock('testcontainers', () => ({
  getContainerRuntimeClient: vi.fn(() =>
    Promise.reject(new Error('Could not find a working container runtime strategy')),
  ),
}));

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('containers', () => {
  test.each([undefined, ''])('are not used if BACKENDS_BY is %o', (value) => {
    vi.stubEnv('BACKENDS_BY', value);
    expect(byContainers()).toBe(false);
  });

  test('are used if BACKENDS_BY is "containers"', () => {
    vi.stubEnv('BACKENDS_BY', 'containers');
    expect(byContainers()).toBe(true);
  });

  test('are the only valid value of BACKENDS_BY', () => {
    vi.stubEnv('BACKENDS_BY', 'docker');
    expect(byContainers).toThrow('BACKENDS_BY is "docker": the only value is "containers"');
  });

  test('are missing, with a remedy, if no engine responds', async () => {
    expect(await missingEngine()).toMatch(
      /^no container engine responds \(Could not find .*start one, or set DOCKER_HOST to its address$/,
    );
    vi.stubEnv('BACKENDS_BY', 'containers');
    vi.stubEnv('KAFKA_BROKERS', '');
    await expect(startKafka({ brokers: 1 })).rejects.toThrow(
      'kafka cannot be started here: no container engine responds',
    );
  });

  test('are not looked for if the environment names a server', async () => {
    vi.stubEnv('BACKENDS_BY', 'containers');
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
    vi.mocked(getContainerRuntimeClient).mockClear();
    expect((await startDynamoDb()).url).toBe('http://127.0.0.1:1');
    expect(getContainerRuntimeClient).not.toHaveBeenCalled();
  });

  test('are removed if the signal aborts while they start', async () => {
    const controller = new AbortController();
    const stop = vi.fn();
    const start = async () => {
      controller.abort(new Error('aborted'));
      return { stop } as never;
    };
    await expect(startContainer({ start }, controller.signal)).rejects.toThrow('aborted');
    expect(stop).toHaveBeenCalledOnce();
  });
});
