import { NO_SPAN } from '@engine/expression'
import { describe, expect, it } from 'vitest'
import { changesVariables, cycles, endlessLoops, longestPath, predecessors, reachable, stepGraph } from './graph.ts'
import type { Action, Ruleset, Step } from './model.ts'

const TRUE = { kind: 'literal', value: true, span: NO_SPAN } as const
const SET: Action = { action: 'set_variable', name: 'x', value: TRUE }
const LOG: Action = { action: 'log', message: 'here', level: 'info' }

function decision(id: string, targets: readonly string[], defaultNext?: string, actions: readonly Action[] = []): Step {
  const branches = targets.map((nextStep) => ({ condition: TRUE, source: 'true', nextStep, actions }))
  return { type: 'decision', id, name: id, branches, defaultNext }
}

function action(id: string, nextStep: string, actions: readonly Action[] = [SET]): Step {
  return { type: 'action', id, name: id, actions, nextStep }
}

function end(id: string): Step {
  const message = { kind: 'text', text: '' } as const
  return { type: 'terminal', id, name: id, code: id, message, fields: new Map(), output: [] }
}

/** A ruleset of these steps that starts at the first one. */
function ruleset(...steps: readonly Step[]): Ruleset {
  const config: Ruleset['config'] = {
    name: 'graph',
    version: '1.0.0',
    entryStep: steps[0]?.id ?? '',
    description: null,
    fieldMissing: 'lenient',
    defaults: new Map(),
    timeoutMs: 5000,
    maxDepth: 1000,
    enableTrace: false,
    messageTemplates: false,
    numbers: 'double',
    receiptFields: [],
    contract: undefined,
    tenantId: null,
    metadata: new Map(),
  }
  return { config, steps: new Map(steps.map((step) => [step.id, step])) }
}

const graphOf = (...steps: readonly Step[]) => stepGraph(ruleset(...steps))

describe('the step graph', () => {
  it('numbers the steps in document order and leaves out repeated targets', () => {
    const graph = graphOf(decision('a', ['c', 'b', 'c'], 'b'), action('b', 'c'), end('c'))
    expect(graph.ids).toEqual(['a', 'b', 'c'])
    expect(graph.entry).toBe(0)
    expect(graph.successors).toEqual([[2, 1], [2], []])
  })

  it('takes any text as an id', () => {
    const graph = graphOf(decision('__proto__', ['constructor'], 'a b'), end('constructor'), end('a b'))
    expect(graph.successors).toEqual([[1, 2], [], []])
  })

  it('finds the steps that the entry leads to', () => {
    const steps = [decision('a', ['b'], 'c'), action('b', 'c'), end('c'), action('d', 'a'), end('e')]
    expect(reachable(graphOf(...steps))).toEqual([true, true, true, false, false])
  })

  it('finds what leads to each step', () => {
    expect(predecessors(graphOf(decision('a', ['b'], 'c'), action('b', 'c'), end('c')))).toEqual([[], [0], [0, 1]])
  })
})

describe('cycles', () => {
  it.each([
    { title: 'none in a chain', successors: [[1], [2], []], found: [] },
    { title: 'none in a diamond', successors: [[1, 2], [3], [3], []], found: [] },
    { title: 'a step that leads to itself', successors: [[0, 1], []], found: [[0]] },
    { title: 'two steps', successors: [[1], [0, 2], []], found: [[0, 1]] },
    { title: 'two cycles with one step in common are one group', successors: [[1, 2], [0], [0]], found: [[0, 1, 2]] },
    {
      title: 'two groups, inner first',
      successors: [[1], [0, 2], [3], [2]],
      found: [
        [2, 3],
        [0, 1],
      ],
    },
    { title: 'steps that nothing leads to', successors: [[], [2], [1]], found: [[1, 2]] },
  ])('$title', ({ successors, found }) => {
    expect(cycles(successors)).toEqual(found)
  })

  it('agrees with trying every pair of steps, on random graphs', () => {
    let state = 7
    const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 300; round++) {
      const count = 1 + random(9)
      const successors = Array.from({ length: count }, () =>
        Array.from({ length: random(3) }, () => random(count)).filter(
          (next, index, all) => all.indexOf(next) === index,
        ),
      )
      const leads = successors.map((nexts) => {
        const reached = new Set<number>(nexts)
        for (const step of reached) for (const next of successors[step] ?? []) reached.add(next)
        return reached
      })
      const inCycle = successors.map((_, step) => leads[step]?.has(step) === true)
      const groups = cycles(successors)
      expect(groups.flat().toSorted((a, b) => a - b)).toEqual(inCycle.flatMap((isIn, step) => (isIn ? [step] : [])))
      for (const group of groups) {
        for (const a of group) for (const b of group) expect(leads[a]?.has(b)).toBe(true)
      }
    }
  })
})

describe('the longest way', () => {
  it.each([
    { title: 'one terminal', steps: [end('a')], length: 1 },
    { title: 'a chain', steps: [action('a', 'b'), action('b', 'c'), end('c')], length: 3 },
    {
      title: 'the longer side of a diamond',
      steps: [decision('a', ['d'], 'b'), action('b', 'c'), action('c', 'd'), end('d')],
      length: 4,
    },
    { title: 'a loop', steps: [decision('a', ['b'], 'c'), action('b', 'a'), end('c')], length: Infinity },
    {
      title: 'a loop that nothing leads to does not count',
      steps: [action('a', 'b'), end('b'), action('c', 'd'), action('d', 'c')],
      length: 2,
    },
  ])('$title', ({ steps, length }) => {
    expect(longestPath(graphOf(...steps))).toBe(length)
  })

  it('takes a chain of 10,000 steps without using the stack', () => {
    const steps: Step[] = Array.from({ length: 9999 }, (_, index) => action(`s${index}`, `s${index + 1}`))
    const graph = graphOf(...steps, end('s9999'))
    expect(longestPath(graph)).toBe(10_000)
    expect(reachable(graph).every(Boolean)).toBe(true)
    expect(cycles(graph.successors)).toEqual([])
  })

  it('finds a loop of 10,000 steps', () => {
    const steps: Step[] = Array.from({ length: 10_000 }, (_, index) =>
      action(`s${index}`, `s${(index + 1) % 10_000}`, [LOG]),
    )
    const whole = ruleset(...steps)
    const graph = stepGraph(whole)
    expect(longestPath(graph)).toBe(Infinity)
    expect(endlessLoops(whole, graph).map((loop) => loop.length)).toEqual([10_000])
  })
})

describe('loops that nothing can change', () => {
  const loops = (...steps: readonly Step[]) => {
    const whole = ruleset(...steps)
    const graph = stepGraph(whole)
    return endlessLoops(whole, graph).map((loop) => loop.map((number) => graph.ids[number]))
  }

  it.each([
    {
      title: 'decisions only',
      steps: [decision('a', ['b'], 'c'), decision('b', ['a']), end('c')],
      found: [['a', 'b']],
    },
    { title: 'a step to itself', steps: [decision('a', ['a'], 'c'), end('c')], found: [['a']] },
    {
      title: 'actions that only log',
      steps: [decision('a', ['b'], 'c'), action('b', 'a', [LOG]), end('c')],
      found: [['a', 'b']],
    },
    {
      title: 'an action that sets a variable',
      steps: [decision('a', ['b'], 'c'), action('b', 'a'), end('c')],
      found: [],
    },
    {
      title: 'a branch that sets a variable',
      steps: [decision('a', ['a'], 'c', [SET]), end('c')],
      found: [],
    },
    {
      title: 'a way back by default, next to a branch that sets a variable',
      steps: [decision('a', ['c'], 'a', [SET]), end('c')],
      found: [['a']],
    },
    { title: 'out of reach', steps: [end('a'), decision('b', ['b'])], found: [] },
  ])('$title', ({ steps, found }) => {
    expect(loops(...steps)).toEqual(found)
  })

  it.each<[Action, boolean]>([
    [SET, true],
    [LOG, false],
    [{ action: 'metric', name: 'm', value: TRUE, tags: [] }, false],
    [{ action: 'call_ruleset', rulesetName: 'r', inputMapping: undefined, resultVariable: 'x' }, true],
    [
      {
        action: 'external_call',
        service: 's',
        method: 'm',
        params: [],
        resultVariable: undefined,
        timeoutMs: undefined,
      },
      false,
    ],
    [{ action: 'external_call', service: 's', method: 'm', params: [], resultVariable: 'x', timeoutMs: 1 }, true],
  ])('knows whether %j changes a variable', (given, changes) => {
    expect(changesVariables(given)).toBe(changes)
  })
})
