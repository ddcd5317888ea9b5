import { isObject, typeName, type Value } from '@engine/expression'

/** An input, and what the rules must make of it. */
export interface Case {
  readonly name: string
  readonly input: Value
  readonly expect: Expectation
  /** A time for `now()`; undefined: that of the run. */
  readonly now?: string
  /** The answers to external calls, by `service.method`, or `{error}` for one that fails: nothing is called. */
  readonly stubs?: { readonly [call: string]: Value }
  /** Of a platform. */
  readonly id?: string
  /** Name of the suite, in files. */
  readonly suite?: string
}

/** What is named must be so. */
export interface Expectation {
  readonly code?: string
  readonly message?: string
  /** The keys that are listed; with `exact` the whole. */
  readonly output?: Value
  readonly exact?: boolean
  /** Ids of steps, in order. */
  readonly path?: readonly string[]
  /** By which numbers of the output may differ. */
  readonly tolerance?: number
  /** A part of the message of a failure. */
  readonly error?: string
}

/** What is wrong with a list of cases. */
export interface CaseFault {
  /** JSON pointer into the list. */
  readonly path: string
  readonly message: string
}

/** Faults that are told of one list: more would not be read. */
const MAX_FAULTS = 100

/** Reads a list of cases, each with a name of its own within its suite; names its first faults. Costs its size. */
export function decodeCases(list: Value): { readonly cases: readonly Case[]; readonly faults: readonly CaseFault[] } {
  if (!Array.isArray(list)) return { cases: [], faults: [{ path: '', message: 'must be a list of cases' }] }
  const names = new Set<string>()
  const faults: CaseFault[] = []
  for (const [index, value] of list.entries()) {
    const fault = faultOf(value, names)
    if (fault !== undefined) faults.push({ path: `/${index}${fault.path}`, message: fault.message })
    if (faults.length === MAX_FAULTS) break
  }
  const cases = faults.length > 0 ? [] : list.map((value: Value) => ({ input: {}, ...(value as object) }) as Case)
  return { cases, faults }
}

const MEMBERS = ['name', 'input', 'expect', 'now', 'stubs', 'id', 'suite']

/** The first fault of a case; undefined: there is none. */
function faultOf(value: Value, names: Set<string>): CaseFault | undefined {
  if (!isObject(value)) return { path: '', message: `must be an object, found ${typeName(value)}` }
  const { name, input, expect, now, stubs, id, suite } = value
  const stranger = Object.keys(value).find((key) => !MEMBERS.includes(key))
  if (stranger !== undefined)
    return { path: `/${stranger}`, message: `is not understood: expected ${MEMBERS.join(', ')}` }
  if (typeof name !== 'string' || name === '') return { path: '/name', message: 'must be a text' }
  for (const [key, text] of [
    ['id', id],
    ['suite', suite],
  ] as const)
    if (text !== undefined && (typeof text !== 'string' || text === ''))
      return { path: `/${key}`, message: 'must be a text' }
  const full = JSON.stringify([suite ?? '', name])
  if (names.has(full)) return { path: '/name', message: `is given twice: ${name}` }
  names.add(full)
  if (input !== undefined && !isObject(input)) return { path: '/input', message: 'must be an object' }
  if (now !== undefined && (typeof now !== 'string' || Number.isNaN(Date.parse(now))))
    return { path: '/now', message: 'must be a time such as 2026-01-31T12:00:00Z' }
  if (stubs !== undefined && !isObject(stubs))
    return { path: '/stubs', message: 'must be an object from `service.method` to an answer' }
  return expectFault(expect)
}

/** How each member of an expectation is. */
const EXPECTED: { readonly [Key in keyof Required<Expectation>]: readonly [(value: Value) => boolean, string] } = {
  code: [(value) => typeof value === 'string', 'must be a text'],
  message: [(value) => typeof value === 'string', 'must be a text'],
  output: [() => true, ''],
  exact: [(value) => typeof value === 'boolean', 'must be `true` or `false`'],
  path: [
    (value) => Array.isArray(value) && value.every((id) => typeof id === 'string'),
    'must be a list of ids of steps',
  ],
  tolerance: [(value) => typeof value === 'number' && value >= 0, 'must be a number from 0'],
  error: [(value) => typeof value === 'string', 'must be a text'],
}

function expectFault(expect: Value | undefined): CaseFault | undefined {
  const fault = (key: string, message: string) => ({ path: `/expect${key}`, message })
  if (expect === undefined || !isObject(expect)) return fault('', 'must be an object such as {"code": "OK"}')
  const keys = Object.keys(expect)
  if (keys.length === 0) return fault('', 'expects nothing')
  for (const [key, value] of Object.entries(expect)) {
    if (!Object.hasOwn(EXPECTED, key))
      return fault(`/${key}`, `is not understood: expected ${Object.keys(EXPECTED).join(', ')}`)
    const [isRight, message] = EXPECTED[key as keyof Expectation]
    if (!isRight(value)) return fault(`/${key}`, message)
  }
  if (expect['error'] !== undefined && keys.some((key) => ['code', 'message', 'output'].includes(key)))
    return fault('/error', 'stands alone: a failure has no result')
  return undefined
}
