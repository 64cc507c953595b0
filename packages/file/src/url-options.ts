import type { FileOptions } from './options.ts';

/** What `openLeadership('file:DIR?group=GROUP', options)` accepts: the URL names the directory. */
export interface FileUrlOptions extends Partial<Omit<FileOptions, 'directory'>> {}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `file:DIR?group=GROUP` */
    readonly file: FileUrlOptions;
  }
}
