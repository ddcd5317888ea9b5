import { type Expression, type Field, isNumber, type Literal, printPath, typeName, walk } from '@engine/expression'
import { typeText } from './contract/field-type.ts'
import type { Ruleset, Step } from './model.ts'
import { expressionsOf } from './step-expressions.ts'

/** The fields that a ruleset reads, and the result codes that it has. */
export interface RulesetInputs {
  /** In the order of their paths. */
  readonly fields: readonly InputField[]
  /** In the order of the alphabet. */
  readonly codes: readonly string[]
}

/** A field of the input. */
export interface InputField {
  readonly path: string
  /** That of the contract, or those of the constants that the field is compared with; empty: any. */
  readonly types: readonly string[]
  /** The contract rejects an input without it. */
  readonly required: boolean
  /** Ids of the steps that read it; empty: only the contract names it. */
  readonly steps: readonly string[]
}

interface FoundField {
  readonly types: Set<string>
  readonly steps: Set<string>
  required: boolean
}

const computed = new WeakMap<Ruleset, RulesetInputs>()

/**
 * The fields of a ruleset, from its expressions and its contract. Linear in the ruleset, apart from sorting; computed once
 * for each ruleset.
 */
export function inputsOf(ruleset: Ruleset): RulesetInputs {
  const found = computed.get(ruleset) ?? inputsIn(ruleset)
  computed.set(ruleset, found)
  return found
}

function inputsIn({ steps, config }: Ruleset): RulesetInputs {
  const fields = new Map<string, FoundField>()
  const fieldAt = (path: string): FoundField => {
    const known = fields.get(path) ?? { types: new Set(), steps: new Set(), required: false }
    fields.set(path, known)
    return known
  }
  for (const step of steps.values()) addFields(step, fieldAt)
  for (const { name, type, required, default: standIn } of config.contract?.fields ?? []) {
    const field = fieldAt(name)
    field.types.clear()
    field.types.add(typeText(type))
    field.required = required && standIn === undefined && config.contract?.mode === 'enforce'
  }
  const codes = new Set(Array.from(steps.values()).flatMap((step) => (step.type === 'terminal' ? [step.code] : [])))
  return {
    fields: [...fields]
      .map(([path, field]) => ({ path, types: [...field.types], required: field.required, steps: [...field.steps] }))
      .sort((left, right) => (left.path < right.path ? -1 : 1)),
    codes: [...codes].sort(),
  }
}

function addFields(step: Step, fieldAt: (path: string) => FoundField): void {
  for (const expression of expressionsOf(step))
    walk(expression, (node) => {
      if (node.kind === 'field') fieldAt(printPath(node)).steps.add(step.id)
      if (node.kind !== 'binary') return
      const [field, constant] = node.left.kind === 'field' ? [node.left, node.right] : [node.right, node.left]
      for (const type of typesOf(field, constant)) fieldAt(printPath(field as Field)).types.add(type)
    })
}

/** The types of the constants that a field is compared with. */
function typesOf(field: Expression, constant: Expression): readonly string[] {
  if (field.kind !== 'field') return []
  if (constant.kind === 'literal') return literalTypes(constant)
  if (constant.kind === 'unary' && constant.operand.kind === 'literal') return literalTypes(constant.operand)
  return constant.kind === 'array' ? constant.items.flatMap((item) => typesOf(field, item)) : []
}

function literalTypes({ value }: Literal): readonly string[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => (item === null ? [] : [kindOf(item)]))
  return [kindOf(value)]
}

const kindOf = (value: Literal['value']) => (isNumber(value) ? 'number' : typeName(value))
