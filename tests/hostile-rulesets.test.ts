import { makeFunction, type Value } from '@engine/expression'
import { createProgram, decodeRuleset, type Decision } from '@engine/ruleset'
import { afterAll, beforeAll, describe, expect, type MockInstance, test, vi } from 'vitest'
import { testHost } from '../packages/ruleset/src/host.testing.ts'

/** Texts that would do harm if they became code, keys of a prototype, or lines of a file. */
const TEXTS: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '"];globalThis.reached=1;process.exit()//',
  "'];globalThis.reached=1//",
  '`${globalThis.reached=1}`',
  '${globalThis.reached=1}',
  '*/globalThis.reached=1;/*',
  '//\nglobalThis.reached=1',
  '\u2028globalThis.reached=1\u2029',
  '\\u0022;globalThis.reached=1;\\u0022',
  '</script><script>globalThis.reached=1</script>',
  ');globalThis.reached=1;(',
  '\0globalThis.reached=1',
  'case 1: globalThis.reached=1; break;',
  'this.constructor.constructor("globalThis.reached=1")()',
]

const terminal = (id: string, result: object): Value => ({
  id,
  type: 'terminal',
  result: { code: 'A', message: '', ...result },
})
const own = (key: string, value: Value): { readonly [key: string]: Value } => Object.fromEntries([[key, value]])
const quoted = (text: string) => JSON.stringify(text)

interface Parts {
  readonly config?: object
  readonly first?: object
  readonly more?: { readonly [id: string]: Value }
  readonly entry?: string
}

function documentOf({ config = {}, first = {}, more = {}, entry = 'first' }: Parts): Value {
  const base = { id: 'first', type: 'action', actions: [], next_step: 'end' }
  // Object.fromEntries makes own properties of every name, `__proto__` too.
  const steps = Object.fromEntries([
    ['first', { ...base, ...first }],
    ['end', terminal('end', {})],
    ...Object.entries(more),
  ])
  return { config: { name: 'hostile', version: '1', entry_step: entry, ...config }, steps }
}

/** Everywhere in a ruleset where a text can stand. */
const PLACES: Readonly<Record<string, (text: string) => Value>> = {
  'ruleset name': (text) => documentOf({ config: { name: text } }),
  version: (text) => documentOf({ config: { version: text } }),
  description: (text) => documentOf({ config: { description: text } }),
  'metadata key': (text) => documentOf({ config: { metadata: own(text, text) } }),
  'default path': (text) => documentOf({ config: { field_missing: 'default', defaults: own(text, 1) } }),
  'step id': (text) =>
    documentOf({ entry: text, more: own(text, { id: text, type: 'action', actions: [], next_step: 'end' }) }),
  'step name': (text) => documentOf({ first: { name: text } }),
  'terminal id': (text) => documentOf({ first: { next_step: text }, more: own(text, terminal(text, {})) }),
  code: (text) => documentOf({ more: { end: terminal('end', { code: text }) } }),
  message: (text) => documentOf({ more: { end: terminal('end', { message: text }) } }),
  'message template': (text) =>
    documentOf({
      config: { message_templates: true },
      more: { end: terminal('end', { message: `{${quoted(text)}}` }) },
    }),
  'output field': (text) => documentOf({ more: { end: terminal('end', own(text, text)) } }),
  'evaluated output name': (text) => documentOf({ more: { end: terminal('end', { output: [[text, '1 + 1']] }) } }),
  condition: (text) => decision(text),
  'condition on a text': (text) => decision(`a == ${quoted(text)} || a in [${quoted(text)}, "b"]`),
  'condition on a key': (text) => decision(`$[${quoted(text)}] == 1 || a[${quoted(text)}].b == 2`),
  'key of an object': (text) => decision(`{${quoted(text)}: 1}[${quoted(text)}] == 1`),
  'many branches on a text': (text) =>
    decision(...Array.from({ length: 40 }, (_, index) => `a == ${quoted(`${text}${index}`)}`)),
  'many branches on a key': (text) =>
    decision(...Array.from({ length: 40 }, (_, index) => `$[${quoted(text)}] == ${index}`)),
  'field in JSON form': (text) =>
    documentOf({ first: { actions: [{ action: 'set_variable', name: 'x', value: { Field: text } }] } }),
  'text in JSON form': (text) =>
    documentOf({ first: { actions: [{ action: 'set_variable', name: 'x', value: { Literal: text } }] } }),
  'function in JSON form': (text) =>
    documentOf({
      first: { actions: [{ action: 'set_variable', name: 'x', value: { Call: { name: text, args: [] } } }] },
    }),
  'variable name': (text) => documentOf({ first: { actions: [{ action: 'set_variable', name: text, value: 1 }] } }),
  'log message': (text) => documentOf({ first: { actions: [{ action: 'log', message: text }] } }),
  'metric name and tag': (text) =>
    documentOf({ first: { actions: [{ action: 'metric', name: text, value: 1, tags: [[text, text]] }] } }),
  'called ruleset': (text) =>
    documentOf({ first: { actions: [{ action: 'call_ruleset', ruleset_name: text, result_variable: 'x' }] } }),
  'service and method': (text) =>
    documentOf({
      first: { actions: [{ action: 'external_call', service: text, method: text, params: [[text, quoted(text)]] }] },
    }),
  'pattern of a regular expression': (text) => decision(`matches(a, ${quoted(text)})`),
}

function decision(...conditions: readonly string[]): Value {
  const branches = conditions.map((condition) => ({ condition, next_step: 'end' }))
  return documentOf({
    first: { type: 'decision', actions: undefined, next_step: undefined, branches, default_next: 'end' },
  })
}

const INPUT = JSON.parse(
  '{"a": {"b": 2, "__proto__": {"b": 1}}, "__proto__": {"polluted": true}, "constructor": 1}',
) as Value

type Outcome = Decision | string

let before: string
let exit: MockInstance

beforeAll(() => {
  before = world()
  exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('process.exit was reached')
  })
})
afterAll(() => exit.mockRestore())

/** Where harm would show: the prototypes of everything, and the names of the global object. */
function world(): string {
  const prototypes = [Object, Array, Function, String, Number, Boolean, Map, Set, Promise, RegExp, Date, Error].map(
    ({ name, prototype }) => [name, Object.getOwnPropertyNames(prototype)],
  )
  return JSON.stringify([
    prototypes,
    Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__vitest')),
  ])
}

/** Decides in every way; all generated code is kept. */
async function outcomes(
  document: Value,
  input = INPUT,
): Promise<{ readonly outcomes: readonly Outcome[]; readonly code: string } | string> {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) return problems.map(({ message }) => message).join('\n')
  let code = ''
  const recording = (parameters: readonly string[], body: string) => {
    code += body
    return makeFunction(parameters, body)
  }
  const hosts = [testHost({ makeFunction: recording }), testHost({ makeFunction: undefined })]
  const found = await Promise.all(
    hosts.flatMap((host) =>
      [true, false].map(async (dispatch): Promise<Outcome> => {
        try {
          const {
            code: decided,
            message,
            output,
          } = await createProgram(ruleset, host, { dispatch }).execute(input, { trace: true })
          return { code: decided, message, output }
        } catch (error) {
          return error instanceof Error ? error.message : String(error)
        }
      }),
    ),
  )
  return { outcomes: found, code }
}

describe.for(Object.entries(PLACES))('%s', ([, place]) => {
  test.for(TEXTS)('%j is refused or harmless', async (text) => {
    const found = await outcomes(place(text))
    expect(world()).toBe(before)
    expect('reached' in globalThis).toBe(false)
    expect('polluted' in {}).toBe(false)
    expect(exit).not.toHaveBeenCalled()
    if (typeof found === 'string') return expect(found).not.toBe('')
    const [first, ...others] = found.outcomes
    for (const other of others) expect(other).toEqual(first)
    // Generated code consists of our own function names, and none of them contains `constructor`.
    expect(found.code).not.toMatch(/reached|process|script|prototype|__proto__|globalThis/)
  })
})

test(`there are ${Object.keys(PLACES).length * TEXTS.length} hostile rulesets, and most of them run`, async () => {
  const all = await Promise.all(Object.values(PLACES).flatMap((place) => TEXTS.map((text) => outcomes(place(text)))))
  expect(all.length).toBeGreaterThanOrEqual(40)
  expect(all.filter((found) => typeof found !== 'string').length).toBeGreaterThan(all.length / 2)
})

test.for(['constructor.name', '__proto__.toString', 'a.constructor', 'toString', 'a.b.constructor.constructor'])(
  'what every object inherits is missing: %s',
  async (path) => {
    const branches = [{ condition: `exists(${path})`, next_step: 'seen' }]
    const first = { type: 'decision', actions: undefined, next_step: undefined, branches, default_next: 'end' }
    const found = await outcomes(documentOf({ first, more: { seen: terminal('seen', { code: 'SEEN' }) } }), {
      a: { b: {} },
    })
    expect(found).toMatchObject({ outcomes: [{ code: 'A' }, { code: 'A' }, { code: 'A' }, { code: 'A' }] })
  },
)
