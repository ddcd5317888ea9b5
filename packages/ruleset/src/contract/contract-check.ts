import { Budget, Constants, emitValue, isObject, type MakeFunction, NO_SPAN, type Value } from '@engine/expression'
import { type ContractField, holdsField, type InputContract, type Violation, violationsOf } from './input-contract.ts'

/** All violations of an input, charged to a budget if there is one. Throws `BudgetError`. */
export type ContractCheck = (input: Value, budget: Budget | undefined) => readonly Violation[]

/** Whether an input certainly keeps a contract. Otherwise `violationsOf` decides. */
type Keeps = (input: Value, budget: Budget | undefined) => boolean

/** Larger contracts are not compiled, so that their code stays small. */
const MAX_FIELDS = 500
/** Values of an enumeration that are compared one after the other. */
const MAX_COMPARED = 20
/** The powers of ten, and the integers, up to which doubles decide digits. */
const [MAX_PLACES, MAX_WHOLE, MAX_SCALED] = [14, 15, 1e15]

const NONE: readonly Violation[] = []

/**
 * A check that decides inputs without violations by generated code: 12 fields in about 30 ns. Without `makeFunction` every
 * input is interpreted.
 */
export function createContractCheck(contract: InputContract, makeFunction: MakeFunction | undefined): ContractCheck {
  const { fields } = contract
  if (makeFunction === undefined || fields.length > MAX_FIELDS)
    return (input, budget) => violationsOf(contract, input, budget ?? Budget.endless())
  const keeps = compile(contract, makeFunction)
  return (input, budget) => {
    budget?.spend(2 * fields.length)
    if (isObject(input) && keeps(input, budget)) return NONE
    return violationsOf(contract, input, budget ?? Budget.endless())
  }
}

function compile({ fields, concepts }: InputContract, makeFunction: MakeFunction): Keeps {
  const constants = new Constants()
  const scope = {
    input: 'input',
    inputIsObject: true,
    runtime: 'undefined',
    constants,
    policy: { mode: 'lenient', defaults: new Map(), numbers: 'decimal' },
    variable: () => 'undefined',
    temporary: () => 't',
  } as const
  const statements = fields.map((field) => {
    const path = field.path.map((name) => ({ kind: 'name', name }) as const)
    const read = emitValue({ kind: 'field', path, span: NO_SPAN }, scope)
    // A field that is missing is null here too. Whether a default stands in for it, the interpreter decides.
    const other = `${constants.add((value: Value, budget = Budget.endless()) => holdsField(field, value, concepts, budget))}(v, budget)`
    return `v = ${read}\nif (!(v === null ? ${String(!field.required)} : ${testOf(field, constants) ?? other})) return false`
  })
  const body = `return (function (input, budget) {\nlet v, s\n${statements.join('\n')}\nreturn true\n})`
  const keeps: Keeps = makeFunction(['constants'], `${constants.declarations('constants')}${body}`)(constants.values)
  return keeps
}

/** A condition about `v` that is true only where a field keeps its rules; undefined: doubles and texts do not decide it. */
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
    const whole = digits === undefined ? 0 : digits - (decimals ?? 0)
    if (decimals === undefined || decimals > MAX_PLACES || whole > MAX_WHOLE) return undefined
    const unit = constants.add(10 ** decimals)
    tests.push(`(s = Math.round(v * ${unit})) <= ${MAX_SCALED} && s >= -${MAX_SCALED} && s / ${unit} === v`)
    if (digits !== undefined) tests.push(`Math.abs(v) < ${constants.add(10 ** whole)}`)
  }
  for (const [bound, operator] of [
    [minimum, '>='],
    [maximum, '<='],
  ] as const) {
    if (bound === undefined) continue
    // Bounds are for numbers, and a field of any type can hold others.
    if (typeof bound !== 'number' || type.kind === 'any') return undefined
    if (type.kind !== 'string' && type.kind !== 'boolean') tests.push(`v ${operator} ${constants.add(bound)}`)
  }
  return tests.length === 0 ? 'true' : tests.join(' && ')
}
