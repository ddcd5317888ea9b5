import { parsePath, type Value } from '@engine/expression'
import { conceptNamed, type Concepts, type InputContract, type ReadExpressions } from '@engine/ruleset'
import { checkTerminals } from '../contract/contract-use.ts'
import type { Contract, InputField } from '../contract/contract.ts'
import { declaredFields } from '../contract/declared-fields.ts'
import { checkOutputs } from '../contract/outputs.ts'
import type { DraftGraph, DraftRuleset } from '../draft/model.ts'
import { below } from '../place.ts'
import { messages, Report } from '../problem.ts'
import { convertDraft, type ConvertedDraft } from './convert.ts'

/** The treatment of contract violations by engines. */
export type ContractMode = InputContract['mode']

/** The dependencies of a draft. */
export interface HeldTo {
  /** Sub-rules of project and organization, for names that the draft itself does not have. */
  readonly subRules: ReadonlyMap<string, DraftGraph>
  /** Undefined if the draft has none. */
  readonly contract:
    | {
        readonly contract: Contract
        readonly concepts: Concepts
        /** The mode of the contract in the ruleset; undefined and `off`: the ruleset does not carry the contract. */
        readonly mode?: ContractMode | undefined
      }
    | undefined
  /** As in `ConvertOptions`. */
  readonly expressions?: ReadExpressions | undefined
}

/**
 * The ruleset in engine format, with the problems of the draft and those found by its contract: fields, codes and
 * outputs. Costs as much as `convertDraft` and `checkOutputs`.
 */
export function convertHeld(draft: DraftRuleset, { subRules, contract: held, expressions }: HeldTo): ConvertedDraft {
  if (held === undefined) return convertDraft(draft, { subRules, expressions })
  const { contract, concepts, mode = 'off' } = held
  const fields = declaredFields(contract, concepts)
  const report = new Report()
  const carried = mode === 'off' ? undefined : carriedContract(report, contract, concepts, mode)
  const converted = convertDraft(draft, { subRules, fields, contract: carried, expressions })
  const found = [...checkTerminals(draft, contract), ...checkOutputs(draft, contract, fields)]
  return { ...converted, problems: [...converted.problems, ...found, ...report.problems] }
}

/** `config.contract` in engine format: the contract's input, with the concepts that it refers to. */
function carriedContract(
  report: Report,
  { name, version, input }: Contract,
  concepts: Concepts,
  mode: ContractMode,
): Value {
  for (const field of input.fields)
    if (!isOfNames(field)) report.warn(below(undefined, 'config', 'contract'), messages.uncheckedField(field.name))
  const fields = input.fields.filter(isOfNames)
  const used = Array.from(conceptsOf(fields, concepts), (key) => ({ name: key, fields: concepts.get(key) ?? [] }))
  return { mode, contract: { name, version, input: { fields }, concepts: used } }
}

/** Engines look up inputs by names; the types of list items are part of the type of their list. */
function isOfNames({ name }: InputField): boolean {
  const parsed = parsePath(name)
  return (
    parsed.kind === 'parsed' &&
    parsed.expression.kind === 'field' &&
    parsed.expression.path.every(({ kind }) => kind === 'name')
  )
}

/** The concepts that fields refer to, directly or through other concepts. */
function conceptsOf(fields: readonly InputField[], concepts: Concepts): ReadonlySet<string> {
  const found = new Set(fields.flatMap(({ type }) => conceptNamed(type) ?? []))
  // Iteration also visits names added here.
  for (const name of found)
    for (const { type } of concepts.get(name) ?? []) {
      const inner = conceptNamed(type)
      if (inner !== undefined) found.add(inner)
    }
  return found
}
