import { convertDraft, type DraftRuleset } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { createProgram, decodeRuleset, ExecutionError } from '@engine/ruleset'
import { testHost } from '../../ruleset/src/host.testing.ts'

/** The decision of a draft. */
export type Decided =
  | {
      readonly kind: 'decided'
      readonly code: string
      readonly message: string
      readonly output: { readonly [name: string]: Value }
    }
  | { readonly kind: 'failed'; readonly message: string }

/** Prepares a draft for execution by the engine. Throws when it has errors. `now`: the time of each execution. */
export function executable(draft: DraftRuleset, now?: number): (input: Value) => Decided {
  const { ruleset: document, problems } = convertDraft(draft)
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (document === undefined || errors.length > 0) throw new Error(`the draft has errors: ${JSON.stringify(errors)}`)
  const { ruleset, problems: faults } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(`the ruleset has faults: ${JSON.stringify(faults)}`)
  const program = createProgram(ruleset, testHost(now === undefined ? {} : { now: () => now }))
  return (input) => {
    try {
      const decision = program.decide(input)
      if (decision instanceof Promise) throw new Error('a draft without calls decides at once')
      const { code, message, output } = decision
      return { kind: 'decided', code, message, output: output ?? {} }
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error
      return { kind: 'failed', message: error.message }
    }
  }
}

/** Undefined when the draft is rejected because one of its steps always computes with null. */
export function executableOrNot(draft: DraftRuleset): ((input: Value) => Decided) | undefined {
  try {
    return executable(draft)
  } catch (error) {
    if (error instanceof Error && /needs .*, found null|is not defined for/.test(error.message)) return undefined
    throw error
  }
}
