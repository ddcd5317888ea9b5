import { fromJsonForm, parseJson, print, stringifyJson, type Value } from '@engine/expression'
import { createProgram, decodeRuleset } from '@engine/ruleset'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OPERATORS } from '../../packages/expression/src/operator-table.ts'
import { testHost } from '../../packages/ruleset/src/host.testing.ts'
import { blockOf, codeRowsOf, ROOT } from './page.testing.ts'

const PAGE = 'docs/rulesets.md'

function valueOf(text: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new Error(`${text}: ${parsed.problem.message}`)
  return parsed.value
}

function decoded(text: string) {
  const { ruleset, problems, warnings } = decodeRuleset(valueOf(text), { text })
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
  if (ruleset === undefined) throw new Error('no ruleset')
  return ruleset
}

describe.each([
  ['Rulesets', 3],
  ['Sub-rules', 2],
])('the ruleset of docs/rulesets.md, %s', (heading, count) => {
  const [, section] = readFileSync(join(ROOT, PAGE), 'utf8').split(new RegExp(`^##? ${heading}\n`, 'm'))
  const [part] = (section ?? '').split(/^## /m)
  const rows = Array.from((part ?? '').matchAll(/^\| `(.*)` \| `(.*)` \|$/gm), ([, input = '', decision = '']) => ({
    input,
    decision,
  }))

  test('has rows', () => expect(rows).toHaveLength(count))

  test.each(rows)('decides $input as its row says', ({ input, decision }) => {
    const program = createProgram(decoded(blockOf(PAGE, heading, 'json')), testHost())
    expect(program.decide(valueOf(input))).toEqual(valueOf(decision))
  })
})

describe('the JSON forms of docs/rulesets.md', () => {
  const rows = codeRowsOf(PAGE, 'Expressions as JSON').map(([form = '', text = '']) => ({ form, text }))

  test('exist', () => expect(rows.length).toBeGreaterThan(12))

  test.each(rows)('$form is $text', ({ form, text }) => {
    const read = fromJsonForm(valueOf(form))
    if (read.kind === 'failed') throw new Error(read.problems.map(({ message }) => message).join('; '))
    expect(print(read.expression)).toBe(text)
  })

  test('name all operators', () => {
    const listed = /`op` of `Binary` is one of `(.*)`/.exec(readFileSync(join(ROOT, PAGE), 'utf8'))?.[1]
    expect(listed?.split(' ').toSorted()).toEqual(
      Object.values(OPERATORS)
        .map(({ form }) => form)
        .toSorted(),
    )
  })
})

test('the fields of `config` are those of the decoder, with its defaults', () => {
  const rows = codeRowsOf(PAGE, 'config').map(([field = '', fallback = '']) => [field, fallback] as const)
  const minimal = { config: { name: 'a' }, steps: { start: { id: 'start', type: 'terminal', result: RESULT } } }
  const { config } = decoded(stringifyJson(minimal))
  const camel = (field: string) => field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  for (const [field, fallback] of rows.filter(([name]) => name !== 'name')) {
    const found = (config as unknown as Record<string, unknown>)[camel(field)]
    const shown = found instanceof Map ? '{}' : typeof found === 'string' ? found : JSON.stringify(found ?? null)
    expect([field, shown]).toEqual([field, fallback])
  }
})

const RESULT = { code: 'A', message: '' }

test('the call of docs/capabilities.md is an action without faults', () => {
  const action = blockOf('docs/capabilities.md', 'Capabilities: calls of rules to other systems', 'json')
  const steps = `{"start": {"id": "start", "type": "action", "actions": [${action}], "next_step": "end"},
    "end": {"id": "end", "type": "terminal", "result": ${stringifyJson(RESULT)}}}`
  decoded(`{"config": {"name": "a"}, "steps": ${steps}}`)
})
