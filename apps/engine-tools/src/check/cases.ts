import { isObject, parseJson, typeName, type Value } from '@engine/expression'

/** One row of a file of cases: an input, and what the rules must make of it. */
export interface Case {
  readonly name: string
  readonly input: Value
  readonly expect: Expectation
  /** Epoch milliseconds for `now()`; undefined: the time of the check. */
  readonly now: number | undefined
  /** The answers to external calls, by `service.method`: nothing is called. */
  readonly stubs: ReadonlyMap<string, Value>
}

/** Named fields must be equal: an output as a whole. `error`: a text that is part of the message of the failure. */
export interface Expectation {
  readonly code?: string
  readonly message?: string
  readonly output?: Value
  readonly error?: string
}

/** A file of cases has mistakes: one message for each, with its place. */
export class BadCases extends Error {}

/**
 * Read a file of cases: a list of `{name, input, expect, now?, stubs?}`. Throws `BadCases`.
 */
export function parseCases(text: string): readonly Case[] {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new BadCases(parsed.problem.message)
  if (!Array.isArray(parsed.value)) throw new BadCases('it must hold a list of cases')
  const faults: string[] = []
  const names = new Set<string>()
  const cases = parsed.value.flatMap((value: Value, index: number) => {
    const fault = faultOf(value, names)
    if (fault !== undefined) {
      faults.push(`\`/${index}${fault}`)
      return []
    }
    return [caseOf(value as Fields)]
  })
  if (faults.length > 0) throw new BadCases(faults.join('; '))
  return cases
}

type Fields = { readonly [key: string]: Value }

function caseOf({ name, input = {}, expect, now, stubs }: Fields): Case {
  return {
    name: name as string,
    input,
    expect: expect as Expectation,
    now: now === undefined ? undefined : Date.parse(now as string),
    stubs: new Map(Object.entries((stubs ?? {}) as Fields)),
  }
}

const MEMBERS = ['name', 'input', 'expect', 'now', 'stubs']
const EXPECTED = ['code', 'message', 'output', 'error']

/** The place within the case and what is wrong with it; undefined: nothing. */
function faultOf(value: Value, names: Set<string>): string | undefined {
  if (!isObject(value)) return `\` must be an object, found ${typeName(value)}`
  const { name, input, expect, now, stubs } = value
  const stranger = Object.keys(value).find((key) => !MEMBERS.includes(key))
  if (stranger !== undefined) return `/${stranger}\` is not understood: expected ${MEMBERS.join(', ')}`
  if (typeof name !== 'string' || name === '') return '/name` must be a text'
  if (names.has(name)) return `/name\` is given twice: ${name}`
  names.add(name)
  if (input !== undefined && !isObject(input)) return '/input` must be an object'
  if (now !== undefined && (typeof now !== 'string' || Number.isNaN(Date.parse(now))))
    return '/now` must be a time such as 2026-01-31T12:00:00Z'
  if (stubs !== undefined && !isObject(stubs)) return '/stubs` must be an object from `service.method` to an answer'
  return expectFault(expect)
}

function expectFault(expect: Value | undefined): string | undefined {
  if (expect === undefined || !isObject(expect)) return '/expect` must be an object such as {"code": "OK"}'
  const keys = Object.keys(expect)
  const stranger = keys.find((key) => !EXPECTED.includes(key))
  if (stranger !== undefined) return `/expect/${stranger}\` is not understood: expected ${EXPECTED.join(', ')}`
  if (keys.length === 0) return '/expect` expects nothing'
  const wrong = ['code', 'message', 'error'].find((key) => expect[key] !== undefined && typeof expect[key] !== 'string')
  if (wrong !== undefined) return `/expect/${wrong}\` must be a text`
  if (expect['error'] !== undefined && keys.length > 1) return '/expect/error` stands alone: a failure has no result'
  return undefined
}
