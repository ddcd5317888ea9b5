import { quote } from '@engine/expression'
import type { ProblemText } from '../problem.ts'

/** Why an edit was rejected. */
export interface Refusal {
  readonly kind: 'refused'
  readonly code: string
  /** As in `Problem`. */
  readonly message: string
  /** Steps that caused the rejection. */
  readonly steps: readonly string[]
}

/** The result of an edit, or why it was rejected. */
export type Edit<Result> = ({ readonly kind: 'edited' } & Result) | Refusal

const refusal = (code: string, message: string, steps: readonly string[] = []): Refusal => ({
  kind: 'refused',
  code,
  message,
  steps,
})

/** Maximum number of steps named in a message. */
const MAX_NAMED = 5

const named = (ids: readonly string[]) =>
  ids
    .slice(0, MAX_NAMED)
    .map((id) => quote(id))
    .join(', ') + (ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '')

/** Every reason to reject an edit. */
export const refusals = {
  of: ({ code, message }: ProblemText, steps: readonly string[] = []) => refusal(code, message, steps),
  unknownGraph: (name: string) => refusal('unknown-sub-rule', `the draft has no sub-rule ${quote(name)}`),
  unknownSteps: (ids: readonly string[]) => refusal('unknown-step', `there is no step ${named(ids)}`, ids),
  nothingSelected: () => refusal('nothing-selected', 'no step is selected'),
  nameTaken: (name: string) => refusal('name-taken', `a sub-rule named ${quote(name)} already exists`),
  idTaken: (id: string) => refusal('id-taken', `a step with the id ${quote(id)} already exists`, [id]),
  emptyName: () => refusal('empty-name', 'the name of the sub-rule is missing'),

  // Extracting a sub-rule
  terminalSelected: (ids: readonly string[]) =>
    refusal('terminal-selected', `a sub-rule has no result of its own: ${named(ids)} must stay outside`, ids),
  severalEntries: (ids: readonly string[]) =>
    refusal('several-entries', `steps outside lead to several of the selected ones: ${named(ids)}`, ids),
  noEntry: () => refusal('no-entry', 'no step outside leads to one of the selected ones'),
  severalExits: (ids: readonly string[]) =>
    refusal('several-exits', `the selected steps lead to several steps outside: ${named(ids)}`, ids),
  noExit: () => refusal('no-exit', 'the selected steps lead to no step outside'),
  loop: (ids: readonly string[]) =>
    refusal('loop', 'the selected steps are a part of a loop: select all steps of the loop, or none', ids),
  readsInput: (ids: readonly string[]) =>
    refusal('reads-input', `a sub-rule only sees its bindings, and ${named(ids)} reads the whole input`, ids),
  unreadable: (id: string, text: string) =>
    refusal(
      'unreadable-expression',
      `the reads of ${quote(id)} cannot be determined: ${quote(text)} is not a valid expression`,
      [id],
    ),
  maybeMissing: (name: string) =>
    refusal(
      'maybe-missing',
      `the variable ${quote(`$${name}`)} may be missing here but would be null in a sub-rule, and this ruleset distinguishes the two`,
    ),

  // Inlining a sub-rule
  notAUse: (id: string) => refusal('not-a-sub-rule', `the step ${quote(id)} uses no sub-rule`, [id]),
  unknownSubRule: (name: string, id: string) =>
    refusal('unknown-sub-rule', `there is no sub-rule ${quote(name)}`, [id]),
  ownSubRule: (name: string, id: string) => refusal('sub-rule-cycle', `the sub-rule ${quote(name)} uses itself`, [id]),
  noStart: (name: string) => refusal('no-start-step', `the sub-rule ${quote(name)} has no first step`),
} as const
