import { many } from './plural.ts'

/** The line below the rules that tries an input. */
export const tryLine = {
  simulate: 'Try',
  more: (count: number) => `and ${many(count, 'more field', 'more fields')}`,
  hint: 'Change a value to see the result',
  refused: 'These rules cannot run yet',
  steps: (count: number) => many(count, 'step', 'steps'),
  clear: 'Clear the result',
}

/** Names of the next versions, from the smallest change to the largest. */
const BUMPS: readonly string[] = ['correction', 'new behaviour', 'breaking change']

/** The tabs next to the rules: settings, comments and history. */
export const side = {
  label: 'About the rules',
  tabs: { step: 'Step', findings: 'Findings', ruleset: 'Ruleset', comments: 'Comments', history: 'History' },
  noStep: 'Select a step to edit it here.',
  reads: 'Reads',
  version: 'Version',
  changeVersion: 'Change the version',
  nextVersion: 'Next version',
  bumps: BUMPS,
  nowhereLive: 'It is not live anywhere yet.',
  live: (where: string) => `Live: ${where}`,
  description: 'Description',
  changeDescription: 'Change the description',
  contract: 'Contract',
  changeContract: 'Change the contract',
  contractOfName: (isThere: boolean): string => (isThere ? 'The one of this name' : 'None'),
  contractText: 'The contract has the fields that callers send and the results that they get.',
  openContract: (name: string) => `Open the contract ${name}`,
  numbers: 'Numbers',
  changeNumbers: 'Change how numbers are computed',
  numbersText: 'Exact decimals suit money: 0.1 + 0.2 is 0.3.',
  decimal: 'Exact decimals',
  double: 'Floating point',
  newComment: 'New comment',
  noComments: 'No open comments. Reviewers of a release see them, too.',
  settledCount: (count: number) => many(count, 'settled comment', 'settled comments'),
  whoChanged: (place: string) => `Who changed ${place}`,
  changeKinds: { added: 'Added this step', removed: 'Deleted this step' },
  empty: 'empty',
  neverChanged: 'It has not changed since the first save.',
  notChangedIn: (count: number) => `It did not change in the last ${many(count, 'save', 'saves')}.`,
  older: 'Show older',
  allSaves: 'All saves',
}
