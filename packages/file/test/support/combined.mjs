// A backend that combines several groups with `allOf`. The URL of this module names them, as in
// `combined.mjs?of=file:a&of=file:b`, because a member process accepts no other configuration.
import { allOf, openLeadership } from '@leadership/core';

const urls = new URL(import.meta.url).searchParams.getAll('of');

export const backend = {
  parameters: {},
  open: async (_address, options) =>
    allOf(...(await Promise.all(urls.map((url) => openLeadership(url, options))))),
};
