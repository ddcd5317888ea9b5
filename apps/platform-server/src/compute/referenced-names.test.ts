import type { DraftRuleset } from '@engine/authoring'
import { expect, test } from 'vitest'
import { namesUsed } from './referenced-names.ts'

const use = (refName?: string) => ({ id: 's', type: 'sub_rule', refName })
const END = { id: 'end', type: 'terminal', code: 'A' }

test.each<[string, object, readonly string[]]>([
  ['none', { steps: [END] }, []],
  ['each once', { steps: [use('a'), END, use('b'), use('a')] }, ['a', 'b']],
  ['none by a step without a name', { steps: [use()] }, []],
  ['none that it defines itself', { steps: [use('own'), use('a')], subRules: { own: { steps: [END] } } }, ['a']],
  [
    'those of the sub-rules that it defines',
    { steps: [use('own')], subRules: { own: { steps: [use('b'), use('own')] } } },
    ['b'],
  ],
  ['one with the name of a member of every object', { steps: [use('toString')], subRules: {} }, ['toString']],
])('a draft uses sub-rules: %s', (_title, draft, names) => {
  expect(namesUsed(draft as DraftRuleset)).toEqual(names)
})
