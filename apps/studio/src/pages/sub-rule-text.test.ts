import { expect, test } from 'vitest'
import { parseSubRule } from './sub-rule-text.ts'

const PARTS = '"graph": {"steps": []}, "bindings": [], "outputs": []'

test('a sub-rule is read with all its members', () => {
  expect(parseSubRule(`{${PARTS}, "description": "x"}`, 'missing')).toEqual({
    graph: { steps: [] },
    bindings: [],
    outputs: [],
    description: 'x',
  })
})

test.each([
  ['{"bindings": [], "outputs": []}', 'missing'],
  ['{"graph": {}, "outputs": []}', 'missing'],
  ['{"graph": {}, "bindings": []}', 'missing'],
  ['null', 'missing'],
  ['[]', 'missing'],
  [`{${PARTS}, "graph": {}}`, 'graph'],
  ['{', 'expected'],
])('the text %s is refused: %s', (text, message) => {
  expect(() => parseSubRule(text, 'missing')).toThrow(message)
})
