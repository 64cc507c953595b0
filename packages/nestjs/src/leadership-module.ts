// The module that opens a source in a NestJS application and closes it on shutdown.
import {
  type LeadershipSource,
  type OptionsFor,
  openLeadership,
  type SourceOptions,
} from '@leadership/core';
import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { LeadershipHealthIndicator } from './health-indicator.ts';
import { LEADERSHIP_SOURCE, roleToken } from './tokens.ts';

/** Options for {@link LeadershipModule.forRoot}. */
export interface LeadershipModuleOptions {
  /** The URL of the group, as for `openLeadership`. */
  readonly url: string | URL;
  /** Options of the source. */
  readonly options?: SourceOptions;
}

/** Options for {@link LeadershipModule.forRootAsync}. */
export interface LeadershipAsyncOptions extends Pick<DynamicModule, 'imports'> {
  /** The tokens of what `useFactory` receives. */
  readonly inject?: readonly (string | symbol | (abstract new (...args: never[]) => unknown))[];
  /** Opens the source: `(config) => openLeadership(config.url)`. The module closes it on shutdown. */
  readonly useFactory: (...injected: never[]) => LeadershipSource | Promise<LeadershipSource>;
}

/**
 * Opens the source of an application, and closes it on shutdown, after the HTTP server has stopped
 * listening: leaders hand over. Call `app.enableShutdownHooks()`, so that Nest handles SIGTERM.
 */
export class LeadershipModule implements OnApplicationShutdown {
  readonly #source: LeadershipSource;

  /** Called by Nest. */
  constructor(source: LeadershipSource) {
    this.#source = source;
  }

  /**
   * Opens the source from a URL, for all modules of the application. Bootstrap fails if the backend
   * refuses the options; it does not wait for the store.
   */
  static forRoot({ url, options = {} }: LeadershipModuleOptions): DynamicModule {
    return LeadershipModule.forRootAsync({
      useFactory: () => openLeadership(url, options as OptionsFor<string | URL>),
    });
  }

  /** Opens the source with what other providers know, such as a configuration. */
  static forRootAsync({
    imports = [],
    inject = [],
    useFactory,
  }: LeadershipAsyncOptions): DynamicModule {
    return {
      module: LeadershipModule,
      global: true,
      imports,
      providers: [
        { provide: LEADERSHIP_SOURCE, inject: [...inject], useFactory: useFactory as never },
        LeadershipHealthIndicator,
      ],
      exports: [LEADERSHIP_SOURCE, LeadershipHealthIndicator],
    };
  }

  /** Provides roles of the source, for `@InjectRole`. */
  static forFeature(...roles: readonly (string | number)[]): DynamicModule {
    const providers = roles.map(
      (role): Provider => ({
        provide: roleToken(role),
        inject: [LEADERSHIP_SOURCE],
        useFactory: (source: LeadershipSource) => source.role(role),
      }),
    );
    return { module: LeadershipRolesModule, providers, exports: providers };
  }

  /** Closes the source. Resolves once running work has drained. */
  async onApplicationShutdown(): Promise<void> {
    await this.#source.close();
  }
}

/** A module of its own: Nest creates one instance of it for each call of `forFeature`. */
class LeadershipRolesModule {}

// Decorators in the form of calls, because the sources contain only syntax that Node can erase.
Inject(LEADERSHIP_SOURCE)(LeadershipModule, undefined, 0);
Module({})(LeadershipModule);
Module({})(LeadershipRolesModule);
