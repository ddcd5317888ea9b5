import type { DraftRuleset } from '@engine/authoring'
import type { Value } from '@engine/expression'
import type { DraftFinding } from '../../language/tasks.ts'
import type { Texts } from '../../texts/en.ts'
import { short } from '../../ui/json-text.ts'
import { tableAt } from './finding-edits.ts'

type Words = Texts['findings']

/** Maximum number of rows or branches listed in a sentence. */
const MAX_LISTED = 4

/** Describes a finding in one sentence. */
export function findingText(
  { kind, path, by, severity, error = '', code = '' }: DraftFinding,
  draft: DraftRuleset,
  words: Words,
): string {
  switch (kind) {
    case 'shadowed': {
      const names = by.map((one) => nameOfRule(one, words))
      const more = names.length > MAX_LISTED ? ', …' : ''
      return words.shadowed(`${names.slice(0, MAX_LISTED).join(', ')}${more}`)
    }
    case 'unreachable_code':
      return words.unreachable_code(code)
    case 'can_fail':
      return words.can_fail(error)
    case 'gap': {
      if (severity !== 'notice') return words.fails
      const table = tableAt(draft, path)?.step
      const target = table?.defaultNextStepId ?? table?.nextStepId
      const step = draft.steps.find(({ id }) => id === target)
      return words.passes(step?.name ?? (step?.type === 'terminal' ? step.code : undefined) ?? target ?? '')
    }
    case 'overlap': {
      const [first] = by
      return severity === 'info' && first !== undefined ? words.overlapFirst(nameOfRule(first, words)) : words.overlap
    }
    case 'not_tested':
      return words.kinds[kind]
    default:
      return words[kind]
  }
}

/** The name of the rule at a pointer: the number of a row or branch. */
function nameOfRule(path: string, words: Words): string {
  const [, list, number] = /\/(rows|branches)\/(\d+)$/.exec(path) ?? []
  if (number === undefined) return path
  return list === 'rows' ? words.row(Number(number) + 1) : words.branch(Number(number) + 1)
}

/** An input as text: its fields with their values. */
export const inputText = (input: { readonly [key: string]: Value }): string =>
  Object.entries(input)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : short(value, 40)}`)
    .join(', ')
