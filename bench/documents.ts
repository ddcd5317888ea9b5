import { CASES } from './decisions.ts'
import { terminal } from './engines.ts'

/** The ruleset of the discount case, to be stored in a server. */
export function discountDocument(name: string, version = '1.0.0'): object {
  const { branches = [], otherwise = '' } = CASES[1] ?? {}
  const list = branches.map(({ when, code }) => ({
    condition: when.map(([path, operator, value]) => `${path} ${operator} ${JSON.stringify(value)}`).join(' && '),
    next_step: code,
  }))
  const steps = [
    { id: 'tier', type: 'decision', branches: list, default_next: otherwise },
    ...[...branches.map(({ code }) => code), otherwise].map(terminal),
  ]
  return {
    config: { name, version, entry_step: 'tier' },
    steps: Object.fromEntries(steps.map((step) => [step.id, step])),
  }
}
