/** The address of every page, below the base path. */
const project = (org: string, id: string) => `/o/${org}/p/${id}`
const name = encodeURIComponent

export const paths = {
  home: () => '/',
  organizations: () => '/organizations',
  signIn: () => '/sign-in',
  invitation: () => '/invitation',
  organization: (org: string) => `/o/${org}`,
  inbox: (org: string) => `/o/${org}/inbox`,
  members: (org: string) => `/o/${org}/members`,
  roles: (org: string) => `/o/${org}/roles`,
  keys: (org: string) => `/o/${org}/keys`,
  engines: (org: string) => `/o/${org}/engines`,
  engine: (org: string, id: string) => `/o/${org}/engines/${id}`,
  audit: (org: string) => `/o/${org}/audit`,
  settings: (org: string) => `/o/${org}/settings`,
  rulesets: (org: string, id: string) => `${project(org, id)}/rulesets`,
  ruleset: (org: string, id: string, ruleset: string) => `${project(org, id)}/rulesets/${name(ruleset)}`,
  history: (org: string, id: string, ruleset: string) => `${project(org, id)}/rulesets/${name(ruleset)}/history`,
  compare: (org: string, id: string, ruleset: string) => `${project(org, id)}/rulesets/${name(ruleset)}/compare`,
  tests: (org: string, id: string) => `${project(org, id)}/tests`,
  releases: (org: string, id: string) => `${project(org, id)}/releases`,
  newRelease: (org: string, id: string) => `${project(org, id)}/releases/new`,
  release: (org: string, id: string, release: string) => `${project(org, id)}/releases/${release}`,
  facts: (org: string, id: string) => `${project(org, id)}/facts`,
  concepts: (org: string, id: string) => `${project(org, id)}/concepts`,
  contracts: (org: string, id: string) => `${project(org, id)}/contracts`,
  contract: (org: string, id: string, contract: string) => `${project(org, id)}/contracts/${name(contract)}`,
  integrate: (org: string, id: string) => `${project(org, id)}/integrate`,
  projectSettings: (org: string, id: string) => `${project(org, id)}/settings`,
} as const
