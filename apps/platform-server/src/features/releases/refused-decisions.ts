import { isObject, type Value } from '@engine/expression'
import { failures } from '../../errors.ts'
import type { InProject } from '../projects/project-scope.ts'
import { type DecisionFilter, decisionPieces } from '../recording/repository.ts'
import type { Refused } from './model.ts'
import type { Prepared, ReleaseParts } from './preparation.ts'
import type { Copy } from './snapshot.ts'

/** Maximum number of recorded decisions that are checked: per ruleset and environment, and in total. */
const [MAX_PER_TARGET, MAX_TOTAL] = [1000, 10_000] as const
/** Maximum number of examples per ruleset and environment. */
const MAX_EXAMPLES = 3

type Counted = Pick<Refused, 'recorded' | 'refused' | 'examples'>

/**
 * The number of the latest recorded decisions that the contracts of a release would refuse, by ruleset and environment;
 * those without decisions are omitted. Linear in the decisions and their contracts, on a thread.
 */
export async function refusedDecisions(
  parts: Pick<ReleaseParts, 'compute'>,
  { member: { scope }, project }: InProject,
  { copies, environments }: Pick<Prepared, 'copies' | 'environments'>,
): Promise<Refused[]> {
  const found: Refused[] = []
  let left: number = MAX_TOTAL
  for (const { id, name: environment } of environments)
    for (const { name: ruleset, subject, document } of copies) {
      const { mode = 'off' } = subject.contract ?? {}
      if (mode === 'off' || document === undefined) continue
      const filter = { ...ANY, project: project.id, ruleset, environments: [id] }
      const counted = await countRefused(parts, decisionPieces(scope, filter), document, Math.min(MAX_PER_TARGET, left))
      left -= counted.recorded
      if (counted.recorded > 0) found.push({ ruleset, environment, mode, ...counted })
      if (left <= 0) return found
    }
  return found
}

const ANY: Pick<DecisionFilter, 'outcome' | 'code' | 'from' | 'to'> = {
  outcome: 'decided',
  code: undefined,
  from: undefined,
  to: undefined,
}

async function countRefused(
  { compute }: Pick<ReleaseParts, 'compute'>,
  pieces: ReturnType<typeof decisionPieces>,
  document: NonNullable<Copy['document']>,
  most: number,
): Promise<Counted> {
  const counted: Counted = { recorded: 0, refused: 0, examples: [] }
  const contract = contractOf(document)
  for await (const piece of pieces) {
    const decisions = piece.slice(0, most - counted.recorded)
    const inputs = decisions.map(({ input }) => input as Value)
    const outcome = await compute.run({ kind: 'refusals', contract, inputs })
    if (outcome.kind === 'over')
      throw failures.refused(`recorded decisions cannot be checked: ${outcome.message}`, 'too-large')
    counted.recorded += decisions.length
    counted.refused += outcome.result.refused
    for (const { index, violations } of outcome.result.examples) {
      const decision = decisions[index]
      if (decision !== undefined && counted.examples.length < MAX_EXAMPLES)
        counted.examples.push({ id: decision.id, at: decision.at, violations: violations.map((one) => ({ ...one })) })
    }
    if (counted.recorded >= most) break
  }
  return counted
}

function contractOf({ config }: NonNullable<Copy['document']>): Value {
  const contract = config !== undefined && isObject(config) ? config['contract'] : undefined
  if (contract === undefined) throw new Error('the ruleset carries no contract')
  return contract
}
