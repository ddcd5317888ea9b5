import { many } from './plural.ts'

/** The rename of a fact, with everything that it changes. */
export const factRename = {
  title: (name: string) => `Rename ${name}`,
  rename: 'Rename…',
  name: 'New name',
  sameName: 'This is its name already.',
  preview: 'Show what changes',
  intro: (from: string, to: string) => `${from} becomes ${to}. Nothing that is live changes before the next release.`,
  unused: 'Nothing else uses it.',
  contracts: 'Contracts',
  contract: (before: string, after: string) => `version ${before} becomes ${after}: callers send the new name`,
  rulesets: 'Rulesets',
  places: (count: number) => many(count, 'place', 'places'),
  tests: (count: number) => many(count, 'test', 'tests'),
  onlyContract: 'only its contract',
  submit: (to: string) => `Rename to ${to}`,
  stopped: 'Not everything is renamed yet. What is done is kept; try again to go on.',
}

export type FactRenameTexts = typeof factRename
