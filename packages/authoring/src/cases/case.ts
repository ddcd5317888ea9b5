import { isObject, typeName, type Value } from '@engine/expression'

/** An input and the expected decision. */
export interface Case {
  readonly name: string
  readonly input: Value
  readonly expect: Expectation
  /** A time for `now()`; undefined: the time of the run. */
  readonly now?: string
  /** Stubbed results of external calls, by `service.method`, or `{error}` for a failing call: no real call is made. */
  readonly stubs?: { readonly [call: string]: Value }
  /** Assigned by a platform. */
  readonly id?: string
  /** Name of the suite, used in files. */
  readonly suite?: string
}

/** All given members must match. */
export interface Expectation {
  readonly code?: string
  readonly message?: string
  /** The listed keys; with `exact` the whole output. */
  readonly output?: Value
  readonly exact?: boolean
  /** Ids of steps, in order. */
  readonly path?: readonly string[]
  /** Tolerance for numbers in the output. */
  readonly tolerance?: number
  /** A part of an error message. */
  readonly error?: string
}

/** An error in a list of cases. */
export interface CaseFault {
  /** JSON pointer into the list. */
  readonly path: string
  readonly message: string
}

/** Maximum number of faults reported for one list. */
const MAX_FAULTS = 100

/** Reads a list of cases with unique names per suite; reports the first faults. Linear in its size. */
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

/** The first fault of a case, or undefined. */
function faultOf(value: Value, names: Set<string>): CaseFault | undefined {
  if (!isObject(value)) return { path: '', message: `must be an object, found ${typeName(value)}` }
  const { name, input, expect, now, stubs, id, suite } = value
  const stranger = Object.keys(value).find((key) => !MEMBERS.includes(key))
  if (stranger !== undefined) return { path: `/${stranger}`, message: `is unknown: expected ${MEMBERS.join(', ')}` }
  if (typeof name !== 'string' || name === '') return { path: '/name', message: 'must be a text' }
  for (const [key, text] of [
    ['id', id],
    ['suite', suite],
  ] as const)
    if (text !== undefined && (typeof text !== 'string' || text === ''))
      return { path: `/${key}`, message: 'must be a text' }
  const full = JSON.stringify([suite ?? '', name])
  if (names.has(full)) return { path: '/name', message: `is a duplicate: ${name}` }
  names.add(full)
  if (input !== undefined && !isObject(input)) return { path: '/input', message: 'must be an object' }
  if (now !== undefined && (typeof now !== 'string' || Number.isNaN(Date.parse(now))))
    return { path: '/now', message: 'must be a time such as 2026-01-31T12:00:00Z' }
  if (stubs !== undefined && !isObject(stubs))
    return { path: '/stubs', message: 'must be an object from `service.method` to a result' }
  return expectFault(expect)
}

/** The check of each member of an expectation. */
const EXPECTED: { readonly [Key in keyof Required<Expectation>]: readonly [(value: Value) => boolean, string] } = {
  code: [(value) => typeof value === 'string', 'must be a text'],
  message: [(value) => typeof value === 'string', 'must be a text'],
  output: [() => true, ''],
  exact: [(value) => typeof value === 'boolean', 'must be `true` or `false`'],
  path: [(value) => Array.isArray(value) && value.every((id) => typeof id === 'string'), 'must be a list of step ids'],
  tolerance: [(value) => typeof value === 'number' && value >= 0, 'must be a number of at least 0'],
  error: [(value) => typeof value === 'string', 'must be a text'],
}

const EXPECTATIONS = new Map(Object.entries(EXPECTED))

function expectFault(expect: Value | undefined): CaseFault | undefined {
  const fault = (key: string, message: string) => ({ path: `/expect${key}`, message })
  if (expect === undefined || !isObject(expect)) return fault('', 'must be an object such as {"code": "OK"}')
  const keys = Object.keys(expect)
  if (keys.length === 0) return fault('', 'is empty: expect at least one of code, message, output, path or error')
  for (const [key, value] of Object.entries(expect)) {
    const expected = EXPECTATIONS.get(key)
    if (expected === undefined) return fault(`/${key}`, `is unknown: expected ${Object.keys(EXPECTED).join(', ')}`)
    const [isRight, message] = expected
    if (!isRight(value)) return fault(`/${key}`, message)
  }
  if (expect['error'] !== undefined && keys.some((key) => ['code', 'message', 'output'].includes(key)))
    return fault('/error', 'cannot be combined with other members: a failure has no result')
  return undefined
}
