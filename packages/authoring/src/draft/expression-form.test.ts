import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { Report } from '../problem.ts'
import { expressionText } from './expression-form.ts'

const age = { type: 'variable', path: '$.user.age' }
const one = { type: 'literal', value: 1 }

test.each<[Value, string]>([
  ['age  >= 1', 'age  >= 1'],
  [5, '5'],
  [null, 'null'],
  [age, 'user.age'],
  [{ type: 'variable', path: '$total' }, '$total'],
  [{ type: 'literal', value: 'a"b', valueType: 'string' }, '"a\\"b"'],
  [{ type: 'literal', value: [1, { a: null }] }, '[1, {"a": null}]'],
  [{ type: 'binary', op: '+', left: age, right: one }, '(user.age + 1)'],
  [{ type: 'binary', op: 'and', left: age, right: 'b > 1' }, '(user.age && (b > 1))'],
  [{ type: 'unary', op: 'not', operand: age }, '(!user.age)'],
  [{ type: 'member', object: age, property: 'x y' }, 'user.age["x y"]'],
  [{ type: 'member', object: { type: 'function', name: 'first', args: [age] }, property: 'n' }, 'first(user.age).n'],
  [{ type: 'array', elements: [age, one] }, '[user.age, 1]'],
  [{ type: 'object', entries: [['k', age]] }, '{"k": user.age}'],
  [{ type: 'object', properties: { k: one } }, '{"k": 1}'],
  [{ type: 'conditional', condition: age, thenExpr: one, elseExpr: 2 }, '(if user.age then 1 else 2)'],
  [{ type: 'simple', left: age, operator: '>=', right: one }, '(user.age >= 1)'],
  [
    { type: 'simple', left: age, operator: 'not_in', right: { type: 'array', elements: [one] } },
    '(user.age not in [1])',
  ],
  [{ type: 'logical', operator: 'AND', conditions: ['a', 'b', 'c'] }, '((a && b) && c)'],
  [{ type: 'logical', operator: 'or', conditions: [] }, 'true'],
  [{ type: 'not', condition: 'a == 1' }, '(!(a == 1))'],
  [{ type: 'expression', expression: 'a  ==1' }, 'a  ==1'],
  [{ type: 'constant', value: false }, 'false'],
])('%j is %s', (form, text) => {
  const report = new Report()
  expect(expressionText(report, undefined, form)).toBe(text)
  expect(report.problems).toEqual([])
})

test.each([
  ['AND', '&&'],
  ['OR', '||'],
  ['and', '&&'],
  ['or', '||'],
  ['not_in', 'not in'],
  ['in', 'in'],
  ['==', '=='],
  ['!=', '!='],
  ['%', '%'],
])('the operator %s of a form is %s', (op, operator) => {
  const form = { type: 'binary', op, left: 'a', right: { type: 'array', elements: [one] } }
  expect(expressionText(new Report(), undefined, form)).toBe(`(a ${operator} [1])`)
})

test.each([
  ['not', '(!user.age)'],
  ['Not', '(!user.age)'],
  ['!', '(!user.age)'],
  ['-', '(-user.age)'],
  ['neg', '(-user.age)'],
  ['Neg', '(-user.age)'],
])('the operator %s of one operand gives %s', (op, text) => {
  expect(expressionText(new Report(), undefined, { type: 'unary', op, operand: age })).toBe(text)
})

test.each<[Value, string]>([
  [{ type: 'lambda' }, '/type bad-expression-object'],
  [{ type: 'binary', op: '**', left: 1, right: 2 }, '/op bad-operator'],
  [{ type: 'variable', path: 'a +' }, '/path unexpected-token'],
  [{ type: 'not', condition: [] }, '/condition wrong-type'],
  [{ type: 'function', name: '1, alert(', args: [] }, '/name wrong-type'],
  [
    { type: 'logical', operator: 'and', conditions: [{ type: 'literal' }, { type: 'x' }] },
    '/conditions/1/type bad-expression-object',
  ],
  [deep(200), `${'/condition'.repeat(128)} nested-too-deeply`],
])('%j is refused', (form, expected) => {
  const report = new Report()
  expect(expressionText(report, undefined, form)).toBeUndefined()
  expect(report.problems.map(({ path, code }) => `${path} ${code}`)).toEqual([expected])
})

function deep(levels: number): Value {
  let form: Value = true
  for (let level = 0; level < levels; level++) form = { type: 'not', condition: form }
  return form
}
