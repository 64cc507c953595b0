import type { FileOptions } from './options.ts';

/** Options for `openLeadership('file:DIR?group=GROUP', options)`. The URL sets the directory. */
export interface FileUrlOptions extends Partial<Omit<FileOptions, 'directory'>> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `file:DIR?group=GROUP` */
    readonly file: FileUrlOptions;
  }
}
