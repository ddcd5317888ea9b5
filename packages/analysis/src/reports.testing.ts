import { type ObjectValue, stringifyJson, type Value } from '@engine/expression'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import type { Diff, Finding, Report } from './verdict.ts'
import { witnessText } from './witness-text.ts'

/** A ruleset of steps, with a result for each of the codes X, Y, Z and N that has no step of its name. */
export function rulesetOf(steps: ObjectValue, config: ObjectValue = {}): Ruleset {
  const named = Object.fromEntries(Object.entries(steps).map(([id, step]) => [id, { id, ...(step as ObjectValue) }]))
  const text = stringifyJson(Object.values(steps) as Value)
  const results = ['X', 'Y', 'Z', 'N'].filter((code) => !Object.hasOwn(steps, code) && text.includes(`"${code}"`))
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'r', entry_step: 'd', ...config },
    steps: { ...named, ...Object.fromEntries(results.map((code) => [code, { id: code, ...result(code) }])) },
  })
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  return ruleset
}

/** A decision with rows of a condition, the next step, and variables that are set; without a last step it has a gap. */
export const decision = (
  rows: readonly (readonly [condition: string, next: string, set?: Readonly<Record<string, string>>])[],
  otherwise?: string,
): ObjectValue => ({
  type: 'decision',
  branches: rows.map(([condition, next_step, set = {}]) => ({ condition, next_step, actions: setting(set) })),
  ...(otherwise !== undefined && { default_next: otherwise }),
})

export const action = (set: Readonly<Record<string, string>>, next_step: string): ObjectValue => ({
  type: 'action',
  actions: setting(set),
  next_step,
})

const setting = (set: Readonly<Record<string, string>>) =>
  Object.entries(set).map(([name, value]) => ({ action: 'set_variable', name, value }))

export const result = (code: string, more: ObjectValue = {}): ObjectValue => ({
  type: 'terminal',
  result: { code, message: '', ...more },
})

/** A finding in one line. */
function lineOf({ kind, place, verdict, severity, by = [], code, error, witness, reason }: Finding): string {
  const about = [code, error].filter((one) => one !== undefined).join(' ')
  const others = by.length === 0 ? '' : ` by ${by.join(' and ')}`
  const shown = witness === undefined ? '' : ` <- ${witnessText(witness)}`
  return `${severity} ${verdict} ${kind}${about === '' ? '' : ` ${about}`} ${place}${others}: ${reason}${shown}`
}

/** All of a report in lines: its findings, and the numbers of proved, refuted and unknown claims. */
export function linesOf({ findings, questions, domain, truncated }: Report): readonly string[] {
  const { proved, refuted, unknown } = questions
  return [...findings.map(lineOf), `${proved}/${refuted}/${unknown} ${domain}${truncated ? ' truncated' : ''}`]
}

/** All of a comparison in lines. */
export function diffLines(diff: Diff): readonly string[] {
  const sideText = (side: Diff['regions'][number]['before']) =>
    'error' in side
      ? `${side.error.code} in ${side.error.step}`
      : `${side.code} ${stringifyJson(side.message)} ${stringifyJson(side.output)}`
  const regions = diff.regions.map(
    ({ condition, complete, before, after, witness }) =>
      `${complete ? '' : '? '}${condition}: ${sideText(before)} > ${sideText(after)} <- ${witnessText(witness)}`,
  )
  const { verdict, only_adds, only_removes, no_new_failure, truncated } = diff
  return [
    ...regions,
    ...diff.unknown.map(({ place, reason }) => `unknown ${place}: ${reason}`),
    `${verdict}: adds ${only_adds}, removes ${only_removes}, no failure ${no_new_failure}${truncated ? ', truncated' : ''}`,
  ]
}
