import { expect, test } from 'vitest'
import { convertDraftDocument } from './draft-document.ts'

const END = { id: 'end', type: 'terminal', code: 'DONE' }
const set = (value: string) => ({ id: 'set', type: 'action', assignments: [{ name: 'x', value }], nextStepId: 'end' })
const draft = (...steps: readonly object[]) => ({
  config: { name: 'd' },
  startStepId: (steps[0] as { id: string }).id,
  steps: [...steps],
})

test.each<[name: string, document: object, severities: readonly string[], isRuleset: boolean]>([
  ['a draft without problems', draft(set('1'), END), [], true],
  ['a draft with a warning', draft(set('$unset'), END), ['warning'], true],
  ['a draft with an error', draft(set('1 +'), END), ['error'], false],
  ['a document that is no draft', { config: { name: 'd' } }, ['error'], false],
])('%s', (_name, document, severities, isRuleset) => {
  const { ruleset, problems } = convertDraftDocument(JSON.parse(JSON.stringify(document)))
  expect(problems.map(({ severity }) => severity)).toEqual(severities)
  expect(ruleset !== undefined).toBe(isRuleset)
})
