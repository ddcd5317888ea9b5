import {
  type Expression,
  isList,
  isObject,
  type Literal,
  type Segment,
  typeName,
  type Value,
  walk,
} from '@engine/expression'
import { expressionsOfAction, type Ruleset } from '@engine/ruleset'
import type { Contract, InputField, Output } from './contract.ts'

/**
 * Derives a contract for a ruleset without one: the fields that its expressions read, and the codes and output fields
 * of its terminals. Types are inferred from comparisons and sample inputs; `any` where these are missing or
 * contradictory. A field is required when all samples contain it. Linear in the ruleset and the samples, times the
 * depth of fields.
 */
export function deriveContract(ruleset: Ruleset, samples: readonly Value[]): Contract {
  const types = new Map<string, Set<string>>()
  const note: Note = (path, type) => {
    const known = types.get(path) ?? new Set()
    if (type !== undefined) known.add(type)
    types.set(path, known)
  }
  for (const expression of expressionsOf(ruleset)) walk(expression, (node) => noteNode(note, node))
  const inner = [...types.keys()]
  // A field that only leads to others is not listed itself.
  const paths = inner.filter((path) => !inner.some((other) => other.startsWith(`${path}.`)))
  return {
    name: ruleset.config.name,
    version: '1.0.0',
    input: { fields: paths.toSorted().map((path) => inputField(ruleset, path, types.get(path), samples)) },
    outputs: outputsOf(ruleset, types),
  }
}

type Note = (path: string, type: string | undefined) => void

function inputField(
  { config }: Ruleset,
  name: string,
  compared: ReadonlySet<string> | undefined,
  samples: readonly Value[],
): InputField {
  const values = samples.map((sample) => sampleAt(sample, name))
  const found = new Set([...(compared ?? []), ...values.flatMap((value) => typeOfSample(value) ?? [])])
  const given = config.defaults.get(name)
  const isEverywhere = samples.length > 0 && values.every((value) => value !== undefined && value !== null)
  return {
    name,
    type: oneType(found),
    ...(isEverywhere && { required: true }),
    ...(given !== undefined && { default: given }),
  }
}

/** The common type of all. */
function oneType(found: ReadonlySet<string>): string {
  const [first = 'any'] = found
  if (found.size <= 1) return first
  const all = [...found]
  if (all.every((type) => type === 'integer' || type === 'number')) return 'number'
  const items = all.filter((type) => type !== 'array<any>')
  return items.length === 1 && items[0]?.startsWith('array<') === true ? items[0] : 'any'
}

function typeOfSample(value: Value | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  if (!isList(value)) return typeName(value)
  const items = new Set(value.map((item) => typeOfSample(item) ?? 'any'))
  return `array<${oneType(items)}>`
}

function sampleAt(sample: Value, path: string): Value | undefined {
  let value: Value | undefined = sample
  for (const key of path.split('.'))
    value = value !== undefined && isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}

/** Records the fields of an expression with the types that it implies. */
function noteNode(note: Note, node: Expression): void {
  if (node.kind === 'field') {
    const path = pathOf(node.path)
    if (path !== undefined) note(path, node.path.length > path.split('.').length ? 'array<any>' : undefined)
  }
  if (node.kind !== 'binary') return
  for (const [side, other] of [[node.left, node.right] as const, [node.right, node.left] as const]) {
    const path = side.kind === 'field' ? pathOf(side.path) : undefined
    if (path === undefined || side.kind !== 'field' || path.split('.').length < side.path.length) continue
    note(path, typeBeside(node.operator, other, side === node.left))
  }
}

/** The type that an operator and its other operand imply for a field. */
function typeBeside(operator: string, other: Expression, isLeft: boolean): string | undefined {
  switch (operator) {
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return other.kind === 'literal' ? literalType(other) : undefined
    case '-':
    case '*':
    case '/':
    case '%':
      return 'number'
    case 'in':
    case 'not in':
      return isLeft ? itemType(other) : undefined
    case '&&':
    case '||':
      return 'boolean'
    default:
      return undefined
  }
}

function literalType({ value }: Literal): string | undefined {
  return value === null ? undefined : typeName(value)
}

function itemType(list: Expression): string | undefined {
  const items =
    list.kind === 'literal' && isList(list.value)
      ? list.value.map((item) => typeName(item))
      : list.kind === 'array'
        ? list.items.map((item) => (item.kind === 'literal' ? literalType(item) : undefined))
        : []
  const [first] = items
  return items.every((type) => type === first) ? first : undefined
}

/** The names up to the first list element; undefined: the whole input. */
function pathOf(path: readonly Segment[]): string | undefined {
  const end = path.findIndex(({ kind }) => kind !== 'name')
  const names = (end < 0 ? path : path.slice(0, end)).map((hop) => (hop.kind === 'name' ? hop.name : ''))
  return names.length === 0 ? undefined : names.join('.')
}

function outputsOf({ steps }: Ruleset, types: ReadonlyMap<string, ReadonlySet<string>>): readonly Output[] {
  const codes = new Map<string, Map<string, Set<string>>>()
  for (const step of steps.values()) {
    if (step.type !== 'terminal') continue
    const fields = codes.get(step.code) ?? new Map<string, Set<string>>()
    codes.set(step.code, fields)
    for (const [name, value] of step.output) {
      const found = fields.get(name) ?? new Set()
      fields.set(name, found.add(outputType(value, types)))
    }
  }
  return Array.from(codes, ([code, fields]) => ({
    code,
    fields: Array.from(fields, ([name, found]) => ({ name, type: oneType(found) })),
  }))
}

function outputType(value: Expression, types: ReadonlyMap<string, ReadonlySet<string>>): string {
  if (value.kind === 'literal') return literalType(value) ?? 'any'
  if (value.kind === 'field') return oneType(types.get(pathOf(value.path) ?? '') ?? new Set())
  if (value.kind === 'binary' && ['-', '*', '/', '%'].includes(value.operator)) return 'number'
  return 'any'
}

function* expressionsOf({ steps }: Ruleset): Iterable<Expression> {
  for (const step of steps.values()) {
    if (step.type === 'terminal') {
      for (const [, value] of step.output) yield value
      if (step.message.kind === 'template')
        for (const part of step.message.parts) if (typeof part !== 'string') yield part
    }
    if (step.type === 'action') for (const action of step.actions) yield* expressionsOfAction(action)
    if (step.type !== 'decision') continue
    for (const { condition, actions } of step.branches) {
      yield condition
      for (const action of actions) yield* expressionsOfAction(action)
    }
  }
}
