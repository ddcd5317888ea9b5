import { repeat, rulesetOf } from './row.ts'

/** Names of sub-rules and steps within each other. */
const LEVELS = 10

interface Parts {
  /** Uses of the next sub-rule in each. */
  readonly uses: number
  readonly bindings?: readonly (readonly [field: string, expression: string])[]
  /** Conditions of the innermost one. */
  readonly conditions?: readonly string[]
}

/** A ruleset with nested sub-rules: inlining multiplies with each level. */
function nested(levels: number, { uses, bindings = [['x', 'x']], conditions = ['x == 1'] }: Parts): object {
  const use = (level: number, index: number) => ({
    id: `u${index}`,
    type: 'sub_rule',
    ref_name: `r${level}`,
    bindings,
    outputs: [],
    next_step: index + 1 < uses ? `u${index + 1}` : 'end',
  })
  const usesOf = (level: number) => Array.from({ length: uses }, (_, index) => use(level, index))
  const end = { id: 'end', type: 'terminal', result: { code: 'END', message: '' } }
  const branches = conditions.map((condition) => ({ condition, next_step: 'end' }))
  const innermost = [{ id: 'u0', type: 'decision', branches, default_next: 'end' }, end]
  const setOf = (steps: readonly { readonly id: string }[]) => ({
    entry_step: 'u0',
    steps: Object.fromEntries(steps.map((step) => [step.id, step])),
  })
  const subRules = Array.from({ length: levels }, (_, level) => [
    `r${level}`,
    setOf(level + 1 < levels ? [...usesOf(level + 1), end] : innermost),
  ])
  return { ...rulesetOf('nested', [...usesOf(0), end]), sub_rules: Object.fromEntries(subRules) as object }
}

/** Rulesets whose sub-rules are small as they are sent and large as they are inlined, or would be. */
export const SUB_RULES: readonly (readonly [name: string, document: () => object])[] = [
  ['sub-rules: 10 levels of 2 uses', () => nested(LEVELS, { uses: 2 })],
  ['sub-rules: 10 levels of 10 uses, too many', () => nested(LEVELS, { uses: 10 })],
  ['sub-rules: 10 levels of 1,000 uses, too many', () => nested(LEVELS, { uses: 1000 })],
  ['sub-rules: 900 levels', () => nested(900, { uses: 1 })],
  ['sub-rules: 3,000 uses of one', () => nested(1, { uses: 3000 })],
  [
    'sub-rules: 9 uses of one with 1,000 conditions',
    () =>
      nested(1, { uses: 9, conditions: Array.from({ length: 1000 }, (_, index) => `x > ${index} && x != ${index}`) }),
  ],
  [
    'sub-rules: a path of 100,000 characters for each of 1,000 fields',
    () =>
      nested(2, {
        uses: 2,
        bindings: [['x', repeat(1000, () => 'a'.repeat(99), '.')]],
        conditions: [repeat(1000, (index) => `x == ${index}`, ' || ')],
      }),
  ],
]
