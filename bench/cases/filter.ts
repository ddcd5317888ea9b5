import type { Value } from '@engine/expression'
import { createFilter } from '@engine/filter'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import { median, table } from '../measure.ts'

const ROUNDS = 25

/** Filters of large graphs: milliseconds until the answer, without the HTTP around it. */
export function filter(): void {
  const cases: readonly (readonly [name: string, bar: number, ruleset: Ruleset, maxPaths: number])[] = [
    ['1,000 steps: a tree of decisions, every path', 50, tree(1000), 0],
    ['1,000 steps: 40 layers in which ways meet again', 50, layers(40, 25), 100],
    ['20 chained decisions of 3 branches', 100, chain(20), 100],
    ['one decision of 1,000 alternatives', 50, alternatives(1000, () => 'YES'), 0],
    ['one decision of 5,000 alternatives', 300, alternatives(5000, () => 'YES'), 0],
    ['5,000 branches, in turns to a target and elsewhere', 300, alternatives(5000, inTurns), 0],
  ]
  const rows = cases.map(([name, bar, ruleset, max_paths]) => {
    const request = { known_input: {}, target_results: ['YES'], max_paths, nulls: 'match_rules' } as const
    const spent: number[] = []
    const times = Array.from({ length: ROUNDS }, () => {
      const [start, before] = [performance.now(), process.threadCpuUsage()]
      createFilter(ruleset, request, 0)
      const { user, system } = process.threadCpuUsage(before)
      spent.push((user + system) / 1000)
      return performance.now() - start
    })
    const { truncated, filter: text } = createFilter(ruleset, request, 0)
    return [
      name,
      median(times),
      median(spent),
      Math.max(...times),
      bar,
      `${truncated ? 'truncated' : 'whole'}, ${JSON.stringify(text).length} characters`,
    ]
  })
  table(['ruleset', 'median ms', 'processor ms', 'slowest ms', 'bar ms', 'answer'], rows)
}

type Step = { readonly [key: string]: Value }

function decision(id: string, branches: readonly (readonly [condition: string, next: string])[], next: string): Step {
  return {
    id,
    type: 'decision',
    branches: branches.map(([condition, next_step]) => ({ condition, next_step })),
    default_next: next,
  }
}

function rulesetOf(steps: readonly Step[]): Ruleset {
  const ends = ['YES', 'NO'].map((code) => ({ id: code, type: 'terminal', result: { code, message: '' } }))
  const document = {
    config: { name: 'bench', entry_step: steps[0]?.['id'] ?? '' },
    steps: Object.fromEntries([...steps, ...ends].map((step) => [step['id'], step])),
  } as Value
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return ruleset
}

/** Each step tests a different field; half of the leaves are targets. */
function tree(size: number): Ruleset {
  const next = (index: number) => (index < size ? `s${index}` : index % 2 === 0 ? 'YES' : 'NO')
  return rulesetOf(
    Array.from({ length: size }, (_, index) =>
      decision(`s${index}`, [[`f${index % 40} == ${index}`, next(2 * index + 1)]], next(2 * index + 2)),
    ),
  )
}

const inTurns = (index: number): string => (index % 2 === 0 ? 'YES' : 'NO')

/** One decision of many branches that each name a value. */
function alternatives(count: number, next: (index: number) => string): Ruleset {
  const branches = Array.from(
    { length: count },
    (_, index) => [`a == ${index} && s == "g${index}"`, next(index)] as const,
  )
  return rulesetOf([decision('s', branches, 'NO')])
}

function layers(depth: number, width: number): Ruleset {
  const next = (layer: number, place: number) =>
    layer < depth ? `s${layer}_${place % width}` : place % 2 === 0 ? 'YES' : 'NO'
  return rulesetOf(
    Array.from({ length: depth * width }, (_, index) => {
      const [layer, place] = [Math.floor(index / width), index % width]
      return decision(
        `s${layer}_${place}`,
        [[`f${layer} == ${place}`, next(layer + 1, place + 1)]],
        next(layer + 1, place + 2),
      )
    }),
  )
}

function chain(length: number): Ruleset {
  return rulesetOf(
    Array.from({ length }, (_, index) => {
      const next = index + 1 < length ? `s${index + 1}` : 'YES'
      return decision(
        `s${index}`,
        [
          [`a${index} == 1`, next],
          [`b${index} > 2`, 'NO'],
          [`c${index} != "x"`, next],
        ],
        index % 2 === 0 ? next : 'NO',
      )
    }),
  )
}
