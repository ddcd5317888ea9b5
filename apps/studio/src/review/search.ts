/** The parts of a review. */
export const REVIEW_TABS = ['behavior', 'changes', 'tests', 'contract', 'plan', 'discussion'] as const

/** The open part of a review; by default the behaviour if it changes, otherwise the changes. */
export interface ReleaseSearch {
  readonly tab?: (typeof REVIEW_TABS)[number]
}

/** Parses the URL parameter; unknown values are ignored. */
export function releaseSearch(search: Readonly<Record<string, unknown>>): ReleaseSearch {
  const tab = REVIEW_TABS.find((one) => one === search['tab'])
  return tab === undefined ? {} : { tab }
}
