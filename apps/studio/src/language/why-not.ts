import { whyNot } from '@engine/analysis'
import type { Value } from '@engine/expression'
import { executable } from './executable.ts'
import { BUDGET, domainOf } from './findings.ts'
import type { Subject, WhyNot } from './tasks.ts'

/** The smallest change of an input that leads to another result. */
export function whyNotOf(subject: Subject, input: { readonly [key: string]: Value }, code: string): WhyNot {
  const found = executable(subject)
  if (found.kind === 'problems') return { verdict: 'unknown', changes: [] }
  const domain = domainOf(found.ruleset, subject, [input])
  const { verdict, changes, witness } = whyNot(found.ruleset, input, { code, domain, budget: BUDGET, compiles: false })
  return { verdict, changes, ...(witness !== undefined && { input: witness.input }) }
}
