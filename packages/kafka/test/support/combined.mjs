// A member of several groups at once, by `allOf`. Which ones the module's URL says, as in
// `combined.mjs?of=file:a&of=file:b`: a member process has no other configuration.
import { allOf, openLeadership } from '@leadership/core';

const urls = new URL(import.meta.url).searchParams.getAll('of');

export const backend = {
  parameters: {},
  open: async (_address, options) =>
    allOf(...(await Promise.all(urls.map((url) => openLeadership(url, options))))),
};
