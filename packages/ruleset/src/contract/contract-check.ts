import {
  Budget,
  Constants,
  emitValue,
  escapedKey,
  isObject,
  type MakeFunction,
  NO_SPAN,
  type Value,
} from '@engine/expression/core'
import { type ContractField, holdsField, type InputContract, type Violation, violationsOf } from './input-contract.ts'

/** All violations of an input, charged to a budget if there is one. Throws `BudgetError`. */
export type ContractCheck = (input: Value, budget: Budget | undefined) => readonly Violation[]

/** Whether an input certainly satisfies a contract. Otherwise `violationsOf` decides. */
type Satisfies = (input: Value, budget: Budget | undefined) => boolean

/** Larger contracts are not compiled, so that their code stays small. */
const MAX_FIELDS = 500
/** Maximum number of enumeration values that are compared one after the other. */
const MAX_COMPARED = 20
/** Bounds within which doubles can decide digits: decimal places, integer digits, and scaled integers. */
const [MAX_PLACES, MAX_WHOLE, MAX_SCALED] = [14, 15, 1e15]

const NONE: readonly Violation[] = []

/**
 * A check that decides inputs without violations by generated code: 12 fields in about 20 ns. Undefined without
 * `makeFunction` and for a large contract: every input is interpreted.
 */
export function createContractCheck(
  contract: InputContract,
  makeFunction: MakeFunction | undefined,
): ContractCheck | undefined {
  const { fields } = contract
  if (makeFunction === undefined || fields.length > MAX_FIELDS) return undefined
  const keeps = compile(contract, makeFunction)
  return (input, budget) => {
    budget?.spend(2 * fields.length)
    if (isObject(input) && keeps(input, budget)) return NONE
    return violationsOf(contract, input, budget ?? Budget.endless())
  }
}

function compile({ fields, concepts }: InputContract, makeFunction: MakeFunction): Satisfies {
  const constants = new Constants()
  const isArray = constants.add(Array.isArray)
  const tested = (field: ContractField, read: string): string => {
    // A missing field is null here too. The interpreter decides whether a default replaces it.
    const ofType = testOf(field, constants)
    const other = `${constants.add((value: Value, budget = Budget.endless()) => holdsField(field, value, concepts, budget))}(v, budget)`
    const whole = field.required ? 'v !== null && ' : 'v === null || '
    const isNullRefused = ofType !== undefined && field.required && field.type.kind !== 'any'
    return `v = ${read}\nif (!(${isNullRefused ? '' : whole}(${ofType ?? other}))) return false`
  }
  const statements = groupsOf(fields).flatMap((group) => {
    const parent = group[0]?.path.slice(0, -1) ?? []
    // A single test of the object, if a missing object violates the contract anyway: takes a third less time than a
    // test per field.
    const isNeeded = parent.length > 0 && group.some((field) => field.required && field.default === undefined)
    if (!isNeeded) return group.map((field) => tested(field, readOf(field.path, 'input', constants)))
    return [
      `o = ${readOf(parent, 'input', constants)}\nif (typeof o !== 'object' || o === null || ${isArray}(o)) return false`,
      ...group.map((field) => tested(field, readOf(field.path.slice(-1), 'o', constants))),
    ]
  })
  const body = `return (function (input, budget) {\nlet o, v, s\n${statements.join('\n')}\nreturn true\n})`
  const keeps: Satisfies = makeFunction(
    ['constants'],
    `${constants.declarations('constants')}${body}`,
  )(constants.values)
  return keeps
}

/** Fields grouped by the object that contains them. */
function groupsOf(fields: readonly ContractField[]): readonly (readonly ContractField[])[] {
  const groups = new Map<string, ContractField[]>()
  for (const field of fields) {
    const parent = field.path.slice(0, -1).map(escapedKey).join('/')
    const group = groups.get(parent) ?? []
    groups.set(parent, group)
    group.push(field)
  }
  return [...groups.values()]
}

/** JavaScript for the value at a path of an object; null if it is missing. */
function readOf(path: readonly string[], object: string, constants: Constants): string {
  const names = path.map((name) => ({ kind: 'name', name }) as const)
  return emitValue(
    { kind: 'field', path: names, span: NO_SPAN },
    {
      input: object,
      inputIsObject: true,
      runtime: 'undefined',
      constants,
      policy: { mode: 'lenient', defaults: new Map(), numbers: 'decimal' },
      variable: () => 'undefined',
      temporary: () => 't',
    },
  )
}

/**
 * A condition on `v` that is true only if a field satisfies its rules; undefined if doubles and texts cannot decide it.
 */
function testOf({ type, values, minimum, maximum, limits }: ContractField, constants: Constants): string | undefined {
  const tests: string[] = []
  switch (type.kind) {
    case 'any':
      break
    case 'boolean':
    case 'string':
    case 'number':
      tests.push(`typeof v === '${type.kind}'`)
      break
    case 'integer':
      tests.push(`${constants.add(Number.isInteger)}(v)`)
      break
    case 'decimal':
      tests.push(`typeof v === 'number'`)
      break
    default:
      return undefined
  }
  if (values !== undefined) {
    if (values.length > MAX_COMPARED || values.some((value) => typeof value !== 'string')) return undefined
    tests.push(`(${values.map((value) => `v === ${constants.add(value)}`).join(' || ') || 'false'})`)
  }
  if (limits !== undefined) {
    const { digits, decimals } = limits
    if (decimals === undefined || decimals > MAX_PLACES) return undefined
    const whole = digits && digits - decimals
    if (whole !== undefined && whole > MAX_WHOLE) return undefined
    const unit = constants.add(10 ** decimals)
    tests.push(`(s = Math.round(v * ${unit})) <= ${MAX_SCALED} && s >= -${MAX_SCALED} && s / ${unit} === v`)
    if (whole !== undefined) tests.push(`Math.abs(v) < ${constants.add(10 ** whole)}`)
  }
  for (const [bound, operator] of [
    [minimum, '>='],
    [maximum, '<='],
  ] as const) {
    if (bound === undefined) continue
    // Bounds apply to numbers. In a field of any type, other values fail this test, or pass it rightly.
    if (type.kind !== 'string' && type.kind !== 'boolean') tests.push(`v ${operator} ${constants.add(bound)}`)
  }
  return tests.length === 0 ? 'true' : tests.join(' && ')
}
