import type { Value } from '@engine/expression'
import { decodeRuleset } from '../decode.ts'
import type { Ruleset } from '../model.ts'
import type { Fault } from '../problems.ts'

const END: Value = { id: 'end', type: 'terminal', result: { code: 'END', message: 'done' } }

/** A valid document: one decision `first` that leads to the terminal `end`; the given members replace or extend it. */
export function documentWith(changes: {
  readonly config?: Value
  readonly steps?: { readonly [id: string]: Value }
  readonly rest?: { readonly [key: string]: Value }
}): Value {
  const { config, steps, rest } = changes
  const base: { readonly [key: string]: Value } = { name: 'sample', version: '1.0.0', entry_step: 'first' }
  const first: Value = { id: 'first', type: 'decision', branches: [], default_next: 'end' }
  return {
    config: typeof config === 'object' && config !== null && !Array.isArray(config) ? { ...base, ...config } : base,
    steps: { first, end: END, ...steps },
    ...rest,
  }
}

/** A document whose first step is an action step with these actions. */
export function withActions(...actions: readonly Value[]): Value {
  return documentWith({ steps: { first: { id: 'first', type: 'action', actions, next_step: 'end' } } })
}

/** A document whose first step has one branch with these members; by default it leads to the terminal. */
export function withBranch(branch: { readonly [key: string]: Value }): Value {
  const branches = [{ condition: 'true', next_step: 'end', ...branch }]
  return documentWith({ steps: { first: { id: 'first', type: 'decision', branches, default_next: 'end' } } })
}

/** A document whose terminal has this result. */
export function withResult(result: Value, config: Value = {}): Value {
  return documentWith({ config, steps: { end: { id: 'end', type: 'terminal', result } } })
}

/** Faults as `path code: message`, the form that tests compare. */
function shownFaults(found: readonly Fault[]): string[] {
  return found.map(({ path, code, message }) => `${path} ${code}: ${message}`)
}

export function problemsOf(document: Value): string[] {
  return shownFaults(decodeRuleset(document).problems)
}

export function warningsOf(document: Value): string[] {
  const { problems, warnings } = decodeRuleset(document)
  if (problems.length > 0) throw new Error(shownFaults(problems).join('\n'))
  return shownFaults(warnings)
}

/** The ruleset of a valid document. */
export function decoded(document: Value): Ruleset {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(shownFaults(problems).join('\n'))
  return ruleset
}
