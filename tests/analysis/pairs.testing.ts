import { isFields, type RulesetDocument } from '@engine/ruleset'
import { isList, type Value } from '@engine/expression'
import { chance, pick, type Random } from '../../packages/ruleset/src/random.testing.ts'

type Branch = { readonly [key: string]: Value }

/** The same document with the branches of each decision recreated. */
function withBranches(
  document: RulesetDocument,
  change: (branches: readonly Branch[]) => readonly Branch[],
): RulesetDocument {
  const steps = isFields(document['steps']) ? document['steps'] : {}
  const changed = Object.entries(steps).map(([id, step]): [string, Value] => {
    if (!isFields(step) || !isList(step['branches'])) return [id, step]
    return [id, { ...step, branches: change(step['branches'] as readonly Branch[]) }]
  })
  return { ...document, steps: Object.fromEntries(changed) }
}

const textOf = ({ condition }: Branch): string => (typeof condition === 'string' ? condition : '')

const MIRRORED: Readonly<Record<string, string>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '==': '==',
  '!=': '!=',
}

/** The condition in another form that means the same, errors included. */
function rewritten(random: Random, condition: string): string {
  return pick<() => string>(random, [
    () => `!(!(${condition}))`,
    () => `(${condition}) && true`,
    () => `(${condition}) || false`,
    () => `if (${condition}) then true else false`,
    () =>
      condition.replaceAll(
        /(?<![-+*/%] )\b(n|m) (<=?|>=?|==|!=) (\d+(?:\.\d+)?)/g,
        (_all, field, operator, number) => `${number} ${MIRRORED[operator as string]} ${field}`,
      ),
    () => condition.replaceAll(/\bt in \[("[A-Z]*"), ("[A-Z]*")\]/g, '(t == $1 || t == $2)'),
  ])()
}

/** A ruleset that decides the same: conditions in other forms, branches that are never taken, branches twice. */
export function rewrittenRuleset(random: Random, document: RulesetDocument): RulesetDocument {
  return withBranches(document, (branches) =>
    branches.flatMap((branch): readonly Branch[] => {
      const condition = textOf(branch)
      const changed = chance(random, 0.6) ? { ...branch, condition: rewritten(random, condition) } : branch
      if (chance(random, 0.15)) return [changed, branch]
      if (chance(random, 0.15)) return [{ condition: '1 > 2', next_step: branch['next_step'] ?? '' }, changed]
      return [changed]
    }),
  )
}

/** A ruleset in which one comparison, constant or target of one branch is another. */
export function mutatedRuleset(random: Random, document: RulesetDocument): RulesetDocument {
  let isDone = false
  return withBranches(document, (branches) => {
    const chosen = Math.floor(random() * branches.length)
    return branches.map((branch, index) => {
      if (isDone || index !== chosen || chance(random, 0.3)) return branch
      isDone = true
      const condition = textOf(branch)
      const changed = pick<() => string>(random, [
        () => condition.replace(/\d+(\.\d+)?/, (number) => String(Number(number) + pick(random, [1, -1, 0.5]))),
        () => condition.replace(/ (<=?|>=?|==|!=) /, () => ` ${pick(random, ['<', '<=', '>', '>=', '==', '!='])} `),
        () => condition.replace('&&', '||'),
        () => `!(${condition})`,
      ])()
      return chance(random, 0.2)
        ? { ...branch, next_step: pick(random, ['A', 'B', 'C']) }
        : { ...branch, condition: changed }
    })
  })
}
