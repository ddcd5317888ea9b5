import { many } from './plural.ts'

export const signIn = {
  title: 'Sign in',
  welcome: 'Welcome',
  choosePassword: 'Choose a password for this account. The link works once.',
  email: 'E-mail',
  password: 'Password',
  newPassword: 'New password',
  passwordHint: 'At least 8 characters',
  submit: 'Sign in',
  forgot: 'Forgot password?',
  resetTitle: 'Set a new password',
  resetText:
    'Enter the address of your account. You get a link that sets a new password; it works once, within 24 hours.',
  resetSubmit: 'Send the link',
  resetSent: (email: string) => `If ${email} has an account, a link is on its way.`,
  resetNoMail: 'No mail? Ask the operators of this platform: without a mail server, links are stored on the server.',
  resetBack: 'Back to sign-in',
  sso: 'Single sign-on',
  invitation: 'Invitation',
  invitationText: 'You were invited to an organization.',
  invitedHint: 'For a new account only, at least 8 characters',
  noToken: 'The link is incomplete. Open it again from your invitation.',
  name: 'Name',
  accept: 'Accept',
  again: 'Your session has ended',
  againText: (email: string) => `Sign in again as ${email}. Your work stays on the page.`,
}

export const organizations = {
  title: 'Organizations',
  text: 'The organizations that you are a member of.',
  make: 'New organization',
  none: 'No organization yet',
  noneText: 'Create one, or open the link of an invitation.',
  name: 'Name',
  description: 'Description',
  counts: (projects: number, members: number) =>
    `${many(projects, 'project', 'projects')}, ${many(members, 'member', 'members')}`,
}

export const projects = {
  title: 'Projects',
  text: 'Rulesets live in projects; each has its own environments.',
  make: 'New project',
  choose: 'Start with a template: it has rules, tests and a contract.',
  bare: 'Empty project',
  bareText: 'Nothing in it yet',
  contains: (cases: number, facts: number) => `${many(cases, 'test', 'tests')}, ${many(facts, 'fact', 'facts')}`,
  name: 'Name',
  description: 'Description',
  environment: 'Current environment',
  none: 'No projects yet',
  noneText: 'Start with a template: it decides right away.',
}

export const members = {
  title: 'Members',
  text: 'Who belongs to this organization, and by which roles.',
  invite: 'Invite',
  invited: 'Invited',
  mailed: 'The invitation was sent by mail.',
  giveLink: 'This platform sends no mail: give this link to the person. It is shown once.',
  link: 'Link of the invitation',
  name: 'Name',
  email: 'E-mail',
  roles: 'Roles',
  status: 'State',
  statuses: { active: 'active', invited: 'invited' },
  inherited: 'from the organization above',
  actions: 'Actions',
  changeRoles: 'Change roles',
  rolesOf: (email: string) => `Roles of ${email}`,
  remove: 'Remove',
  removeText: (email: string) => `${email} loses all access to this organization, and the API keys of this person end.`,
}

export const roles = {
  title: 'Roles',
  text: 'Sets of rights that members hold.',
  make: 'New role',
  change: 'Change',
  remove: 'Delete',
  removeText: (name: string) => `The role ${name} is deleted. A role that a member holds is kept.`,
  name: 'Name',
  rights: 'Rights',
  actions: 'Actions',
  system: 'built in',
}

export const keysPage = {
  title: 'API keys',
  text: 'Credentials of programs. A key never has more rights than its author.',
  make: 'New key',
  made: 'The new key',
  once: 'Copy it now: it is shown this once.',
  name: 'Name',
  prefix: 'Begins with',
  rights: 'Rights',
  used: 'Last used',
  expires: 'Ends',
  revoke: 'Revoke',
  revokeText: (name: string) => `Programs that use ${name} are refused from now on.`,
  none: 'There is no key yet',
  noneText: 'A program that asks for decisions needs one with the right decision.execute.',
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
  labelHint: 'To tell the tokens apart',
  prefix: 'Begins with',
  used: 'Last used',
  revoke: 'Revoke',
  noTokens: 'There is no token',
  noTokensText: 'A token lets new engines register; connected engines keep working without it.',
}

export const audit = {
  title: 'Audit',
  text: 'Who changed what, when and from where.',
  forbidden: 'this needs the right audit.read',
  action: 'Action',
  object: 'Object',
  at: 'Time',
  actor: 'Who',
  address: 'Address',
  details: 'Before and after',
  before: 'Before',
  after: 'After',
  none: 'No entry fits',
  noneText: 'Change the filters to see others.',
}

export const settings = {
  title: 'Organization settings',
  text: 'Name and description of this organization.',
  name: 'Name',
  description: 'Description',
  save: 'Save',
  saved: 'Saved',
  readOnly: 'Only owners change these settings.',
  remove: 'Delete the organization',
  removeText: 'An organization that still has projects or sub-organizations is kept.',
}
