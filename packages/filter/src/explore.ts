import { type Expression, print } from '@engine/expression'
import type { Action, Branch, Ruleset, Step } from '@engine/ruleset'
import { predecessors, stepGraph } from '@engine/ruleset'
import { type Condition, conditionOf, Inexpressible, type Reading } from './condition.ts'
import { evaluated, isCertain, type Knowledge, type Variables, variablesIn, variablesKey } from './known.ts'
import { type Entry, type Outcome, Outcomes } from './outcome.ts'
import { ALWAYS } from './predicate.ts'

/** Steps of one way; specification 4.3. */
const MAX_DEPTH = 50
/** Steps that are looked at, each once for what is known of variables there. */
const MAX_VISITS = 50_000

export interface Exploration {
  readonly outcome: Outcome
  /** The graph was not followed to its end. */
  readonly truncated: boolean
  /** Why rows may pass whose execution gives no target. */
  readonly widened: readonly string[]
}

/** No filter can be made of a ruleset: a condition has no form there. Specification 7.1: 500. */
export class FilterError extends Error {
  override readonly name = 'FilterError'
}

/** Follow every way from the entry step. Throws `FilterError` that names step, branch and expression. */
export function explore(
  ruleset: Ruleset,
  targets: ReadonlySet<string>,
  knowledge: Knowledge,
  reading: Reading,
): Exploration {
  const explorer = new Explorer(ruleset, targets, knowledge, reading)
  const outcome = explorer.visit(ruleset.config.entryStep, 0, new Map())
  return { outcome, truncated: explorer.truncated, widened: [...explorer.widened] }
}

interface Visited {
  readonly outcome: Outcome
  /** Steps on the longest way from here. */
  readonly height: number
  /**
   * The depth of the first step of the way to here that a loop leads back to: what was found holds on this way only.
   * Infinity when there is none.
   */
  readonly back: number
}

class Explorer {
  truncated = false
  readonly widened = new Set<string>()
  readonly #ruleset: Ruleset
  readonly #targets: ReadonlySet<string>
  readonly #knowledge: Knowledge
  readonly #reading: Reading
  readonly #outcomes = new Outcomes()
  /** Steps from which a target can be reached. */
  readonly #alive: ReadonlySet<string>
  /** Variables that some condition or value reads; the others need not be followed. */
  readonly #read: ReadonlySet<string>
  /** By step and variables. */
  readonly #known = new Map<string, Visited>()
  /** The depth of each step on the way to here, by step and variables. */
  readonly #way = new Map<string, number>()
  #visits = 0
  readonly #elsewhere: Visited = { outcome: this.#outcomes.elsewhere, height: 0, back: Infinity }

  constructor(ruleset: Ruleset, targets: ReadonlySet<string>, knowledge: Knowledge, reading: Reading) {
    this.#ruleset = ruleset
    this.#targets = targets
    this.#knowledge = knowledge
    this.#reading = reading
    this.#alive = aliveSteps(ruleset, targets)
    this.#read = variablesRead(ruleset)
  }

  visit(id: string, depth: number, variables: Variables): Outcome {
    return this.#visit(id, depth, variables).outcome
  }

  #visit(id: string, depth: number, variables: Variables): Visited {
    const { maxDepth } = this.#ruleset.config
    // Where an execution may enter fewer steps than a filter follows, it ends with an error there.
    if (this.truncated || !this.#alive.has(id) || depth >= maxDepth) return this.#elsewhere
    if (depth >= MAX_DEPTH || ++this.#visits > MAX_VISITS) return this.#cut()
    const step = this.#ruleset.steps.get(id) as Step
    if (step.type === 'terminal') return this.#terminal(step)
    const key = `${id}\n${maxDepth < MAX_DEPTH ? depth : ''}\n${variablesKey(variables)}`
    const known = this.#known.get(key)
    if (known !== undefined) return depth + known.height >= MAX_DEPTH ? this.#cut() : known
    const back = this.#way.get(key)
    // The same step again with the same knowledge goes round for ever, and ends in an error; unless somebody widened.
    if (back !== undefined)
      return [...variables.values()].includes(undefined) ? this.#cut() : { ...this.#elsewhere, back }
    this.#way.set(key, depth)
    const visited =
      step.type === 'action' ? this.#action(step, depth, variables) : this.#decision(step, depth, variables)
    this.#way.delete(key)
    // What is so because of a loop through an earlier step is not so for whoever comes another way.
    if (visited.back < depth) return visited
    const found = { ...visited, back: Infinity }
    this.#known.set(key, found)
    return found
  }

  #cut(): Visited {
    this.truncated = true
    return this.#elsewhere
  }

  #terminal(step: Step & { type: 'terminal' }): Visited {
    if (!this.#targets.has(step.code)) return this.#elsewhere
    for (const [, expression] of step.output) this.#mayFail(step.id, expression)
    const parts = step.message.kind === 'template' ? step.message.parts : []
    for (const part of parts) if (typeof part !== 'string') this.#mayFail(step.id, part)
    return { outcome: this.#outcomes.target, height: 0, back: Infinity }
  }

  #action(step: Step & { type: 'action' }, depth: number, variables: Variables): Visited {
    const visited = this.#visit(step.nextStep, depth + 1, this.#after(step.actions, step.id, variables))
    return { ...visited, height: visited.height + 1 }
  }

  #decision(step: Step & { type: 'decision' }, depth: number, variables: Variables): Visited {
    const entries: Entry[] = []
    let height = 0
    let back = Infinity
    const follow = (id: string, known: Variables): Outcome => {
      const visited = this.#visit(id, depth + 1, known)
      height = Math.max(height, visited.height + 1)
      back = Math.min(back, visited.back)
      return visited.outcome
    }
    const end = (otherwise: Outcome): Visited => ({
      outcome: this.#outcomes.choice(entries, otherwise),
      height,
      back,
    })
    for (const [index, branch] of step.branches.entries()) {
      const { condition, isWide } = this.#condition(step, index, branch, variables)
      const { holds, fails } = condition
      if (holds.kind === 'never' && fails.kind === 'always') continue
      const taken = () => follow(branch.nextStep, this.#after(branch.actions, step.id, variables))
      const outcome = holds.kind === 'never' ? this.#outcomes.elsewhere : taken()
      if (holds.kind === 'always' && fails.kind === 'never') return end(outcome)
      entries.push({ condition, isWide, outcome })
      if (fails.kind === 'never') return end(this.#outcomes.elsewhere)
    }
    const { defaultNext } = step
    return end(defaultNext === undefined ? this.#outcomes.elsewhere : follow(defaultNext, variables))
  }

  #condition(
    step: Step,
    index: number,
    branch: Branch,
    variables: Variables,
  ): { readonly condition: Condition; readonly isWide: boolean } {
    const place = `the condition of branch ${index} of step \`${step.id}\``
    const expression = evaluated(branch.condition, variables, this.#knowledge)
    if (expression === undefined) {
      this.widened.add(`${place}, \`${branch.source}\`, reads a variable whose value only an execution knows`)
      return WIDE
    }
    try {
      return { condition: conditionOf(expression, this.#reading), isWide: false }
    } catch (error) {
      if (!(error instanceof Inexpressible)) throw error
      const read = new Set<string>()
      variablesIn(branch.condition, read)
      // What a filter cannot say of a field is refused; of a variable it is left open.
      if (read.size === 0) throw new FilterError(`${place}, \`${branch.source}\`: ${error.message}`)
      this.widened.add(`${place}, \`${branch.source}\`, depends on a variable: ${error.message}`)
      return WIDE
    }
  }

  #after(actions: readonly Action[], step: string, variables: Variables): Variables {
    if (actions.length === 0) return variables
    const after = new Map(variables)
    for (const action of actions) this.#apply(action, step, after)
    return after
  }

  #apply(action: Action, step: string, variables: Map<string, Expression | undefined>): void {
    switch (action.action) {
      case 'set_variable': {
        const value = evaluated(action.value, variables, this.#knowledge)
        this.#mayFail(step, value ?? action.value)
        if (this.#read.has(action.name))
          variables.set(action.name, value !== undefined && isShort(value) ? value : undefined)
        return
      }
      case 'metric':
        return this.#mayFail(step, evaluated(action.value, variables, this.#knowledge) ?? action.value)
      case 'log':
        return
      case 'call_ruleset':
        this.widened.add(`step \`${step}\` calls the ruleset \`${action.rulesetName}\`, which may fail`)
        if (this.#read.has(action.resultVariable)) variables.set(action.resultVariable, undefined)
        return
      case 'external_call':
        for (const [, value] of action.params)
          this.#mayFail(step, evaluated(value, variables, this.#knowledge) ?? value)
        if (action.resultVariable === undefined) return
        this.widened.add(`step \`${step}\` calls \`${action.service}.${action.method}\`, which may fail`)
        if (this.#read.has(action.resultVariable)) variables.set(action.resultVariable, undefined)
    }
  }

  #mayFail(step: string, expression: Expression): void {
    const value = evaluated(expression, new Map(), this.#knowledge) ?? expression
    if (isCertain(value) && (this.#knowledge.policy.mode !== 'strict' || value.kind !== 'field')) return
    this.widened.add(`\`${print(expression)}\` in step \`${step}\` may fail for some rows`)
  }
}

const WIDE = { condition: { holds: ALWAYS, fails: ALWAYS, canFail: false }, isWide: true } as const

/** Longest text of an expression that is carried in the place of a variable: doubling must not go on for ever. */
const LONGEST = 2000

function isShort(expression: Expression): boolean {
  return print(expression).length <= LONGEST
}

function variablesRead(ruleset: Ruleset): ReadonlySet<string> {
  const read = new Set<string>()
  for (const step of ruleset.steps.values()) {
    if (step.type === 'terminal') continue
    const branches = step.type === 'decision' ? step.branches : []
    for (const { condition } of branches) variablesIn(condition, read)
    const actions = step.type === 'action' ? step.actions : branches.flatMap((branch) => branch.actions)
    for (const action of actions) if (action.action === 'set_variable') variablesIn(action.value, read)
  }
  return read
}

function aliveSteps(ruleset: Ruleset, targets: ReadonlySet<string>): ReadonlySet<string> {
  const graph = stepGraph(ruleset)
  const before = predecessors(graph)
  const alive = new Set<string>()
  const open = graph.ids.flatMap((id, number) => {
    const step = ruleset.steps.get(id)
    return step?.type === 'terminal' && targets.has(step.code) ? [number] : []
  })
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    const id = graph.ids[number] as string
    if (alive.has(id)) continue
    alive.add(id)
    open.push(...(before[number] ?? []))
  }
  return alive
}
