import { typeText } from './contract/field-type.ts'
import { fieldReads } from './field-reads.ts'
import type { Ruleset } from './model.ts'

/** The fields that a ruleset reads, and its result codes. */
export interface RulesetInputs {
  /** In path order. */
  readonly fields: readonly InputField[]
  /** In alphabetical order. */
  readonly codes: readonly string[]
}

/** A field of the input. */
export interface InputField {
  readonly path: string
  /** The type in the contract, otherwise the types of the constants with which the field is compared; empty for any. */
  readonly types: readonly string[]
  /** True if the contract rejects an input without it. */
  readonly required: boolean
  /** Ids of the steps that read it; empty if only the contract names it. */
  readonly steps: readonly string[]
}

interface FoundField {
  readonly types: Set<string>
  readonly steps: Set<string>
  required: boolean
}

const computed = new WeakMap<Ruleset, RulesetInputs>()

/**
 * The fields of a ruleset, from its expressions and its contract. Linear in the ruleset, apart from sorting; cached per
 * ruleset.
 */
export function inputsOf(ruleset: Ruleset): RulesetInputs {
  const found = computed.get(ruleset) ?? inputsIn(ruleset)
  computed.set(ruleset, found)
  return found
}

function inputsIn(ruleset: Ruleset): RulesetInputs {
  const { steps, config } = ruleset
  const fields = new Map<string, FoundField>()
  const fieldAt = (path: string): FoundField => {
    const known = fields.get(path) ?? { types: new Set(), steps: new Set(), required: false }
    fields.set(path, known)
    return known
  }
  for (const [step, reads] of fieldReads(ruleset))
    for (const [path, { types }] of reads) {
      const field = fieldAt(path)
      field.steps.add(step)
      for (const type of types) field.types.add(type)
    }
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
