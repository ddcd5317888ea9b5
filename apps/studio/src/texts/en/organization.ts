import { many } from './plural.ts'

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
