import { quote } from '@engine/expression'
import type { ProblemText } from '../problem.ts'

/** Why an edit was not made. */
export interface Refusal {
  readonly kind: 'refused'
  readonly code: string
  /** As in `Problem`. */
  readonly message: string
  /** Steps that the reason is about. */
  readonly steps: readonly string[]
}

/** What an edit made, or why it made nothing. */
export type Edit<Result> = ({ readonly kind: 'edited' } & Result) | Refusal

const refusal = (code: string, message: string, steps: readonly string[] = []): Refusal => ({
  kind: 'refused',
  code,
  message,
  steps,
})

/** Steps that a message names. */
const MAX_NAMED = 5

const named = (ids: readonly string[]) =>
  ids
    .slice(0, MAX_NAMED)
    .map((id) => quote(id))
    .join(', ') + (ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '')

/** Every reason for which an edit is refused. */
export const refusals = {
  of: ({ code, message }: ProblemText, steps: readonly string[] = []) => refusal(code, message, steps),
  unknownGraph: (name: string) => refusal('unknown-sub-rule', `the draft has no sub-rule ${quote(name)}`),
  unknownSteps: (ids: readonly string[]) => refusal('unknown-step', `there is no step ${named(ids)}`, ids),
  nothingSelected: () => refusal('nothing-selected', 'no step is selected'),
  nameTaken: (name: string) => refusal('name-taken', `there is another sub-rule ${quote(name)}`),
  idTaken: (id: string) => refusal('id-taken', `there is another step ${quote(id)}`, [id]),
  emptyName: () => refusal('empty-name', 'the name of the sub-rule is missing'),

  // Extracting a sub-rule
  terminalSelected: (ids: readonly string[]) =>
    refusal('terminal-selected', `a sub-rule has no result of its own: ${named(ids)} must stay outside`, ids),
  severalEntries: (ids: readonly string[]) =>
    refusal('several-entries', `steps outside lead to several of the selected ones: ${named(ids)}`, ids),
  noEntry: () => refusal('no-entry', 'no step outside leads to one of the selected ones'),
  severalExits: (ids: readonly string[]) =>
    refusal('several-exits', `the selected steps lead to several ones outside: ${named(ids)}`, ids),
  noExit: () => refusal('no-exit', 'the selected steps lead to no step outside'),
  loop: (ids: readonly string[]) =>
    refusal('loop', 'the selected steps are a part of a loop: select all steps of the loop, or none', ids),
  readsInput: (ids: readonly string[]) =>
    refusal('reads-input', `a sub-rule sees its bindings only, and ${named(ids)} reads the whole input`, ids),
  unreadable: (id: string, text: string) =>
    refusal('unreadable-expression', `what ${quote(id)} reads is unknown: ${quote(text)} is no expression`, [id]),
  maybeMissing: (name: string) =>
    refusal(
      'maybe-missing',
      `the variable ${quote(`$${name}`)} may be missing here, and would be null in a sub-rule, which this ruleset tells apart`,
    ),

  // Inlining a sub-rule
  notAUse: (id: string) => refusal('not-a-sub-rule', `the step ${quote(id)} uses no sub-rule`, [id]),
  unknownSubRule: (name: string, id: string) =>
    refusal('unknown-sub-rule', `there is no sub-rule ${quote(name)}`, [id]),
  ownSubRule: (name: string, id: string) => refusal('sub-rule-cycle', `the sub-rule ${quote(name)} uses itself`, [id]),
  noStart: (name: string) => refusal('no-start-step', `the sub-rule ${quote(name)} has no first step`),
} as const
