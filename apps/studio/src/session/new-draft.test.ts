import { convertDraft } from '@engine/authoring'
import { expect, test } from 'vitest'
import { newDraft } from './new-draft.ts'

test('a new ruleset has its name and converts without a problem', () => {
  const draft = newDraft('limit')
  const { ruleset, problems } = convertDraft(draft)
  expect([draft.config.name, problems]).toEqual(['limit', []])
  expect(Object.keys(ruleset?.['steps'] as object)).toEqual(['check', 'accepted', 'declined'])
})
