const way = {
  live: (environment: string) => `${environment}: live`,
  running: (environment: string) => `${environment}: being brought there`,
  next: (environment: string) => `${environment}: not yet`,
}

export const releasesList = {
  allProjects: 'All projects',
  thisProject: 'This project',
  scope: 'Releases of',
  search: 'Search',
  searchHint: 'Part of the title',
  anyState: 'in any state',
  anyEnvironment: 'all environments',
  project: 'Project',
  progress: 'Progress',
  way,
  waitsFor: 'Waits for',
  or: ' or ',
  approval: (missing: number, roles: string) => `${missing === 1 ? 'an approval' : `${missing} approvals`} by ${roles}`,
  you: 'your approval',
  start: 'its start',
  decision: 'a decision about its rollout',
  author: 'Requested by',
  age: 'Age',
  noMatch: 'No release matches',
  noMatchText: 'Change the filters to see others.',
}

/** The type of these texts in every language. */
export type ReleasesListTexts = typeof releasesList
