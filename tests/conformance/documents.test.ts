import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../../conformance/reference/evaluate.ts'
import type { Scope } from '../../conformance/reference/path.ts'
import { decide } from '../../conformance/reference/ruleset.ts'
import { parse } from '../../conformance/reference/syntax.ts'
import { Failure, json, Unsupported, type Value } from '../../conformance/reference/value.ts'

/** The second implementation is held to the documents that it was written from. */

const page = (name: string) => readFileSync(join(import.meta.dirname, `../../docs/${name}.md`), 'utf8')
const NOTHING: Scope = {
  input: {},
  variable: () => undefined,
  missing: 'lenient',
  defaults: {},
  now: 1_763_600_000_000,
  locals: new Map(),
}
const value = (text: string): Value => evaluate(parse(text), NOTHING)

function outcome(text: string, scope: Scope): string {
  try {
    return json(evaluate(parse(text), scope))
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

test('it has at most 1,800 lines, and imports nothing of the product', () => {
  const folder = join(import.meta.dirname, '../../conformance/reference')
  const sources = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const imported = sources.flatMap((source) => [...source.matchAll(/from '([^']+)'/g)].map(([, from = '']) => from))
  expect(sources.join('').split('\n').length).toBeLessThanOrEqual(1800)
  expect(imported.filter((from) => !/^(?:\.\/[a-z]+\.ts|node:crypto)$/.test(from))).toEqual([])
})

describe('docs/semantics.md', () => {
  const text = page('semantics')
  const input = value(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '')
  const rows = text.split('\n').flatMap((line) => {
    const found = /^\| `([^`]+)` \| (?:`([^`]*)`|([\w-]+))(?: \| (?:`([^`]*)`|([\w-]+)))? \|$/.exec(line)
    if (found === null) return []
    const [, expression = '', lenient, lenientCode, strict, strictCode] = found
    const source = expression.replaceAll(String.raw`\|`, '|')
    return [
      ['lenient', source, lenient === undefined ? lenientCode : json(value(lenient))] as const,
      ...(strict === undefined && strictCode === undefined
        ? []
        : [['strict', source, strict === undefined ? strictCode : json(value(strict))] as const]),
    ]
  })

  test('has rows', () => expect(rows.length).toBeGreaterThan(140))

  test.each(rows)('%s: %s is %s', (missing, expression, expected) => {
    expect(outcome(expression, { ...NOTHING, input, missing })).toBe(expected)
  })
})

describe('docs/functions.md', () => {
  const examples = [...page('functions').matchAll(/ \| `([^`]+)` → `([^`]+)`(?: for `([^`]+)`)? \|$/gm)]

  test('has examples, most of which are of functions that are implemented', () => {
    const known = examples.filter(([, expression = '', , input]) => {
      try {
        evaluate(parse(expression), { ...NOTHING, input: value(input ?? '{}') })
        return true
      } catch (error) {
        return !(error instanceof Unsupported)
      }
    })
    expect([examples.length > 100, known.length > 70]).toEqual([true, true])
  })

  test.each(examples.map(([, expression = '', expected = '', input = '{}']) => [expression, expected, input] as const))(
    '%s is %s',
    (expression, expected, input) => {
      try {
        expect(json(evaluate(parse(expression), { ...NOTHING, input: value(input) }))).toBe(json(value(expected)))
      } catch (error) {
        if (!(error instanceof Unsupported)) throw error
      }
    },
  )
})

describe('docs/rulesets.md', () => {
  const text = page('rulesets')
  const blocks = [
    ...text.matchAll(/```json\n((?:(?!```)[\s\S])*)```\n+\| input \| decision \|\n\|---\|---\|\n((?:\|.*\n)+)/g),
  ]
  const rows = blocks.flatMap(([, document = '', table = '']) =>
    [...table.matchAll(/^\| `(.+?)` \| `(.+?)` \|$/gm)].map(([, input = '', decision = '']) => ({
      document,
      input,
      decision,
    })),
  )

  test('has decisions', () => expect(rows.length).toBeGreaterThanOrEqual(5))

  test.each(rows)('$input is decided', ({ document, input, decision }) => {
    const found = decide(value(document), value(input), { now: NOTHING.now, rulesets: new Map() })
    expect(json(found as unknown as Value)).toBe(json(value(decision)))
  })

  const forms = text.slice(text.indexOf('## Expressions as JSON'))
  const formRows = [...forms.matchAll(/^\| `(\{".+\})` \| `(.+)` \|$/gm)].map(
    ([, form = '', source = '']) => [form, source] as const,
  )

  test('has forms', () => expect(formRows.length).toBeGreaterThanOrEqual(12))

  test.each(formRows)('the form %s is %s', (form, source) => {
    const input = value('{"a": {"b": 1}, "b": 2, "c": 3}')
    const steps = (output: Value) => ({
      config: { name: 'form' },
      steps: {
        start: { id: 'start', type: 'terminal', result: { code: '', message: '', output: [['value', output]] } },
      },
    })
    const of = (output: Value) => {
      try {
        return json(decide(steps(output), input, { now: 0, rulesets: new Map() }) as unknown as Value)
      } catch (error) {
        if (error instanceof Failure) return error.code
        if (error instanceof Unsupported) return 'a function of another name'
        throw error
      }
    }
    expect(of(value(form))).toBe(of(source))
  })
})
