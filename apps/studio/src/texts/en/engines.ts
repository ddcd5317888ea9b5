import { many } from './plural.ts'

const list = {
  ofProject: 'Engines that serve the environments of this project.',
  environments: 'Environments',
  decisions: 'Decisions/h',
  failures: 'Errors',
  content: 'Content',
  held: (count: number) => many(count, 'ruleset', 'rulesets'),
  same: (others: number) => (others === 0 ? 'its own' : `same as ${many(others, 'other', 'others')}`),
  empty: 'nothing',
  behind: 'newer content is on its way',
  seen: 'Last seen',
  neverSeen: 'never',
  silent: (name: string) => `${name} does not report`,
  leaves: (environment: string, online: number) =>
    online === 0
      ? `No engine serves ${environment} now.`
      : `${environment} is served by ${many(online, 'other engine', 'other engines')}.`,
  engineName: 'Name of the engine',
  engineNameHint: 'How this list shows it, such as eu-3',
  port: 'Port',
  portHint: 'Where callers reach it',
  waiting: 'Waiting for the engine…',
  joined: (name: string) => `${name} has joined.`,
  open: 'Open it',
  serves: 'Environments that it serves',
  noneOfProject: 'No engine serves this project',
  noneOfProjectText: 'Choose engines for an environment, or connect one first.',
}

export const engines = {
  title: 'Engines',
  text: 'Servers that decide. Each keeps a connection to this platform.',
  connect: 'Connect an engine',
  makeToken: 'Make a token',
  once: 'Start an engine with this command. The token is shown this once.',
  command: 'Command',
  name: 'Name',
  status: 'State',
  statuses: { online: 'online', degraded: 'degraded', offline: 'offline' },
  identities: { failed: 'identity not proved', unsupported: 'identity not provable' },
  region: 'Region',
  version: 'Version',
  rulesets: 'Rulesets',
  revision: 'Revision',
  behind: (applied: number, desired: number) => `${applied} of ${desired}`,
  heartbeat: 'Last heartbeat',
  /** Names of the health checks of an engine; unknown checks are shown by their id. */
  checks: { store_lock: 'Store', disk_writable: 'Disk', accepting_requests: 'Requests', sync: 'Sync' },
  health: 'Health',
  uptime: 'Running for',
  lasting: (seconds: number) => {
    const minutes = Math.floor(seconds / 60)
    const hours = Math.floor(minutes / 60)
    return hours >= 48
      ? many(Math.floor(hours / 24), 'day', 'days')
      : hours >= 1
        ? `${hours} h ${minutes % 60} min`
        : minutes >= 1
          ? `${minutes} min`
          : `${Math.floor(seconds)} s`
  },
  address: 'Address',
  noAddress: 'not given',
  tenants: 'Serves several environments',
  yes: 'yes',
  no: 'no',
  capabilities: 'Capabilities',
  metrics: 'Decisions over time',
  span: 'Span',
  spans: { hour: 'Hour', day: 'Day', week: 'Week' },
  executions: 'Executions',
  errors: 'Errors',
  others: 'others',
  noCounts: 'It has decided nothing in this time.',
  ruleset: 'Ruleset',
  content: 'Content',
  tenant: 'Tenant',
  noRulesets: 'It holds no ruleset.',
  none: 'No engine is connected yet',
  noneText: 'Make a token and start an engine with it.',
  tokens: 'Connect tokens',
  label: 'Label',
  prefix: 'Begins with',
  used: 'Last used',
  revoke: 'Revoke',
  noTokens: 'There is no token',
  noTokensText: 'A token lets new engines register; connected engines keep working without it.',
  list,
}

/** The type of these texts in every language. */
export type EngineTexts = typeof engines
