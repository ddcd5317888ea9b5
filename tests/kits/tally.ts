/**
 * How a published case ends here. `warned`: another result, where a warning of the import covers it. `different`: another
 * result without a warning. `failed`: the execution fails.
 */
export type Outcome = 'right' | 'refused' | 'warned' | 'different' | 'failed'

/** From best to worst. */
const OUTCOMES: readonly Outcome[] = ['right', 'refused', 'warned', 'failed', 'different']

export interface KitResult {
  readonly outcome: Outcome
  /** What refuses it or what differs; empty when it is right. */
  readonly reason: string
}

export interface KitCase {
  readonly level: string
  /** Names its document and the case. */
  readonly name: string
  readonly results: readonly KitResult[]
}

/** The worst outcome of a case's results. */
export function outcomeOf({ results }: KitCase): Outcome {
  return OUTCOMES.findLast((outcome) => results.some((result) => result.outcome === outcome)) ?? 'right'
}

/** The outcomes by level, and the reasons by kind. */
export function tallyText(cases: readonly KitCase[]): string {
  const lines = [`| level | cases | ${OUTCOMES.join(' | ')} |`, `|---|---|${OUTCOMES.map(() => '---|').join('')}`]
  const add = (level: string, those: readonly KitCase[]) => {
    const counts = OUTCOMES.map((outcome) => those.filter((one) => outcomeOf(one) === outcome).length)
    lines.push(`| ${level} | ${those.length} | ${counts.join(' | ')} |`)
  }
  const levels = Map.groupBy(cases, ({ level }) => level)
  for (const [level, those] of levels) add(level, those)
  if (levels.size !== 1) add('all', cases)
  const results = cases.flatMap((one) => one.results).filter(({ outcome }) => outcome !== 'right')
  if (results.length === 0) return lines.join('\n')
  lines.push('', '| results | outcome | reason |', '|---|---|---|')
  const kinds = Map.groupBy(results, ({ outcome, reason }) => `${outcome} | ${kindOf(reason)}`)
  for (const [kind, those] of [...kinds].sort(([, one], [, other]) => other.length - one.length))
    lines.push(`| ${those.length} | ${kind} |`)
  return lines.join('\n')
}

/** A reason without the document's own texts and positions. */
function kindOf(reason: string): string {
  return reason
    .replace(/^in (?:`(?:[^`]|``)*`|rule \d+)(?:, (?:`(?:[^`]|``)*`|rule \d+|(?:input|output) \d+))*: /, '')
    .replace(/^(?:`(?:[^`]|``)*` could not be converted: |in `(?:[^`]|``)*`, )/, '')
    .replaceAll(/ \(character \d+\)/g, '')
    .replaceAll('|', '/')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 100)
}
