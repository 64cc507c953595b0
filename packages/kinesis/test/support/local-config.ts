/** The client configuration for a server on this host. */
export interface Config {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** The emulators require credentials, and accept any. */
export const credentials: Config['credentials'] = {
  accessKeyId: 'AKIDLOCAL',
  secretAccessKey: 'secret',
};
export const region = 'us-east-1';
