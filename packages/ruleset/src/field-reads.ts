import { type Expression, type Field, isNumber, type Literal, printPath, typeName, walk } from '@engine/expression/core'
import type { Ruleset, Step } from './model.ts'
import { expressionsOf } from './step-expressions.ts'

/** A field that a step reads. */
export interface FieldRead {
  readonly field: Field
  /** The types of the constants with which it is compared. */
  readonly types: ReadonlySet<string>
}

type StepReads = ReadonlyMap<string, FieldRead>

const computed = new WeakMap<Ruleset, ReadonlyMap<string, StepReads>>()

/** The fields that each step reads, by step and by path. Linear in the expressions; cached per ruleset. */
export function fieldReads(ruleset: Ruleset): ReadonlyMap<string, StepReads> {
  const found = computed.get(ruleset) ?? new Map([...ruleset.steps.values()].map((step) => [step.id, readsOf(step)]))
  computed.set(ruleset, found)
  return found
}

function readsOf(step: Step): StepReads {
  const reads = new Map<string, { readonly field: Field; readonly types: Set<string> }>()
  const readOf = (field: Field) => {
    const path = printPath(field)
    const known = reads.get(path) ?? { field, types: new Set() }
    reads.set(path, known)
    return known
  }
  for (const expression of expressionsOf(step))
    walk(expression, (node) => {
      if (node.kind === 'field') readOf(node)
      if (node.kind !== 'binary') return
      const [field, constant] = node.left.kind === 'field' ? [node.left, node.right] : [node.right, node.left]
      if (field.kind === 'field') for (const type of typesOf(constant)) readOf(field).types.add(type)
    })
  return reads
}

/** The types of a constant, or of its items. */
function typesOf(constant: Expression): readonly string[] {
  if (constant.kind === 'literal') return literalTypes(constant)
  if (constant.kind === 'unary' && constant.operand.kind === 'literal') return literalTypes(constant.operand)
  return constant.kind === 'array' ? constant.items.flatMap(typesOf) : []
}

function literalTypes({ value }: Literal): readonly string[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => (item === null ? [] : [kindOf(item)]))
  return [kindOf(value)]
}

const kindOf = (value: Literal['value']) => (isNumber(value) ? 'number' : typeName(value))
