import { type Counterfactual, witnessText } from '@engine/analysis'
import { stringifyJson, type Value } from '@engine/expression'

/** For people: a change a line. */
export function counterfactualText({ verdict, changes, fewest, witness, reason }: Counterfactual): string {
  if (verdict === 'impossible') return 'no change of these fields gives this code (proved)\n'
  if (verdict === 'unknown') return `unknown: ${reason ?? ''}\n`
  const answers = witness?.stubs === undefined ? '' : `${witnessText(witness)}\n`
  if (changes.length === 0)
    return answers === '' ? 'the input has this code already\n' : `the input has this code already: ${answers}`
  const lines = changes.map(({ path, from, to }) => `${path}: ${shown(from)} -> ${shown(to)}`)
  return `${lines.join('\n')}\n${answers}${fewest === 'proved' ? 'no change of fewer fields is enough (proved)\n' : ''}`
}

function shown(value: Value | undefined): string {
  return value === undefined ? 'missing' : stringifyJson(value)
}

/** For programs. */
export function counterfactualJson(found: Counterfactual): string {
  return `${stringifyJson(found)}\n`
}
