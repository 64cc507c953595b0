/** What a client of a server on this host is made with. */
export interface Config {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Servers here ask for some, and take any. */
export const credentials: Config['credentials'] = { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'secret' };
export const region = 'us-east-1';
