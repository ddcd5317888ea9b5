import { type Budget, canFail, defined, type Expression, print, quote, quoteCode } from '@engine/expression'
import { type Action, actionsOf, type Branch, predecessors, type Ruleset, type Step, stepGraph } from '@engine/ruleset'
import { type Condition, toPredicate, Inexpressible, type Reading } from './to-predicate.ts'
import {
  evaluated,
  GrownTooLarge,
  type Knowledge,
  type Variables,
  variablesIn,
  variablesKey,
} from './partial-evaluation.ts'
import { type Entry, type Outcome, Outcomes } from './decision-graph.ts'
import type { Pausing } from './pausable-work.ts'
import { TooLong } from './predicate.ts'

/** Maximum number of steps on one path; specification 4.3. */
const MAX_DEPTH = 50
/** Maximum number of visited steps, each counted once per state of the variables. */
const MAX_VISITS = 50_000

export interface FollowedPaths {
  readonly outcome: Outcome
  /** The graph was not followed to its end. */
  readonly truncated: boolean
  /** Why rows may pass whose execution gives no target. */
  readonly widened: readonly string[]
}

/** The part of a ruleset that has no translation. */
export interface Untranslatable {
  /** JSON pointer into the ruleset. */
  readonly path: string
  /** The text of the expression, or the kind of the action. */
  readonly construct?: string | undefined
}

/** A ruleset cannot be translated to a filter: a condition has no equivalent. Specification 7.1: 500. */
export class FilterError extends Error {
  override readonly name = 'FilterError'
  /** Only for decision queries. */
  readonly part: Untranslatable | undefined
  constructor(message: string, part?: Untranslatable) {
    super(message)
    this.part = part
  }
}

/** Follow every path from the entry step. Throws `FilterError` naming step, branch and expression. */
export function* followPaths(
  ruleset: Ruleset,
  targets: ReadonlySet<string>,
  knowledge: Knowledge,
  reading: Reading,
): Pausing<FollowedPaths> {
  const { budget } = knowledge
  const alive = yield* aliveSteps(ruleset, targets, budget)
  const read = yield* variablesRead(ruleset, budget)
  const follower = new PathFollower({ ruleset, targets, knowledge, reading, alive, read })
  const outcome = yield* follower.visit(ruleset.config.entryStep)
  return { outcome, truncated: follower.truncated, widened: [...follower.widened] }
}

interface Visited {
  readonly outcome: Outcome
  /** Steps on the longest path from here. */
  readonly height: number
  /**
   * The depth of the first step on the current path that a loop returns to: the result is only valid on this path.
   * Infinity without a loop.
   */
  readonly back: number
}

interface Following {
  readonly ruleset: Ruleset
  readonly targets: ReadonlySet<string>
  readonly knowledge: Knowledge
  readonly reading: Reading
  /** Steps from which a target is reachable. */
  readonly alive: ReadonlySet<string>
  /** Variables that some condition or value reads; others need not be tracked. */
  readonly read: ReadonlySet<string>
}

class PathFollower {
  truncated = false
  readonly widened = new Set<string>()
  readonly #ruleset: Ruleset
  readonly #targets: ReadonlySet<string>
  readonly #knowledge: Knowledge
  readonly #reading: Reading
  readonly #budget: Budget
  readonly #outcomes: Outcomes
  readonly #alive: ReadonlySet<string>
  readonly #read: ReadonlySet<string>
  /** By step and variables. */
  readonly #known = new Map<string, Visited>()
  /** The depth of each step on the current path, by step and variables. */
  readonly #way = new Map<string, number>()
  /** Expressions known to be able to fail. */
  readonly #failing = new Set<Expression>()
  /** Variables that are set but not tracked: their values are only known during an execution. */
  readonly #unread: Variables
  #visits = 0
  readonly #elsewhere: Visited

  constructor({ ruleset, targets, knowledge, reading, alive, read }: Following) {
    this.#ruleset = ruleset
    this.#targets = targets
    this.#knowledge = knowledge
    this.#reading = reading
    this.#budget = knowledge.budget
    this.#outcomes = new Outcomes(this.#budget)
    this.#alive = alive
    this.#read = read
    const unread = variablesSet(ruleset).filter((name) => !read.has(name))
    this.#unread = new Map(unread.map((name) => [name, undefined]))
    this.#elsewhere = { outcome: this.#outcomes.elsewhere, height: 0, back: Infinity }
  }

  *visit(id: string): Pausing<Outcome> {
    return (yield* this.#visit(id, 0, new Map())).outcome
  }

  *#visit(id: string, depth: number, variables: Variables): Pausing<Visited> {
    const { maxDepth } = this.#ruleset.config
    // If an execution may enter fewer steps than a filter follows, the execution fails at this step.
    if (this.truncated || !this.#alive.has(id) || depth >= maxDepth) return this.#elsewhere
    if (depth >= MAX_DEPTH || ++this.#visits > MAX_VISITS) return this.#cut()
    const step = defined(this.#ruleset.steps.get(id))
    if (step.type === 'terminal') return yield* this.#terminal(step, variables)
    const key = `${id}\n${maxDepth < MAX_DEPTH ? depth : ''}\n${variablesKey(variables, this.#budget)}`
    const known = this.#known.get(key)
    if (known !== undefined) return depth + known.height >= MAX_DEPTH ? this.#cut() : known
    const back = this.#way.get(key)
    // The same step with the same variables is an endless loop, which fails; unless it was widened.
    if (back !== undefined)
      return [...variables.values()].includes(undefined) ? this.#cut() : { ...this.#elsewhere, back }
    this.#way.set(key, depth)
    const visited =
      step.type === 'action'
        ? yield* this.#action(step, depth, variables)
        : yield* this.#decision(step, depth, variables)
    this.#way.delete(key)
    // A result that depends on a loop through an earlier step is path-specific: do not memoize it.
    if (visited.back < depth) return visited
    const found = { ...visited, back: Infinity }
    this.#budget.create(ENTRY)
    this.#known.set(key, found)
    return found
  }

  #cut(): Visited {
    this.truncated = true
    return this.#elsewhere
  }

  *#terminal(step: Step & { type: 'terminal' }, variables: Variables): Pausing<Visited> {
    if (!this.#targets.has(step.code)) return this.#elsewhere
    for (const [, expression] of step.output) yield* this.#mayFail(step.id, expression, variables)
    const parts = step.message.kind === 'template' ? step.message.parts : []
    for (const part of parts) if (typeof part !== 'string') yield* this.#mayFail(step.id, part, variables)
    return { outcome: this.#outcomes.target, height: 0, back: Infinity }
  }

  *#action(step: Step & { type: 'action' }, depth: number, variables: Variables): Pausing<Visited> {
    const visited = yield* this.#visit(step.nextStep, depth + 1, yield* this.#after(step.actions, step.id, variables))
    return { ...visited, height: visited.height + 1 }
  }

  *#decision(step: Step & { type: 'decision' }, depth: number, variables: Variables): Pausing<Visited> {
    const entries: Entry[] = []
    let [height, back] = [0, Infinity]
    const outcomeOf = (visited: Visited): Outcome => {
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
      if (this.#budget.wantsPause) yield
      const { condition, isWide } = yield* this.#condition(step, index, branch, variables)
      const { holds, fails } = condition
      if (holds.kind === 'never' && fails.kind === 'always') continue
      const outcome =
        holds.kind === 'never'
          ? this.#outcomes.elsewhere
          : outcomeOf(
              yield* this.#visit(branch.nextStep, depth + 1, yield* this.#after(branch.actions, step.id, variables)),
            )
      if (holds.kind === 'always' && fails.kind === 'never') return end(outcome)
      entries.push({ condition, isWide, outcome })
      if (fails.kind === 'never') return end(this.#outcomes.elsewhere)
    }
    const { defaultNext } = step
    if (defaultNext === undefined) return end(this.#outcomes.elsewhere)
    return end(outcomeOf(yield* this.#visit(defaultNext, depth + 1, variables)))
  }

  *#condition(
    step: Step,
    index: number,
    branch: Branch,
    variables: Variables,
  ): Pausing<{ readonly condition: Condition; readonly isWide: boolean }> {
    const place = () => `the condition of branch ${index} of step ${quote(step.id)}, ${quoteCode(branch.source)}`
    const expression = yield* this.#evaluated(branch.condition, variables)
    if (expression === undefined) {
      this.widened.add(`${place()}, reads a variable whose value is only known during an execution`)
      return this.#wide()
    }
    try {
      return { condition: yield* toPredicate(expression, this.#reading), isWide: false }
    } catch (error) {
      if (!(error instanceof Inexpressible || error instanceof TooLong)) throw error
      const read = new Set<string>()
      variablesIn(branch.condition, read)
      // An untranslatable condition on a field is an error; on a variable it widens the filter.
      if (read.size === 0) throw new FilterError(`${place()}: ${error.message}`)
      this.widened.add(`${place()}, depends on a variable: ${error.message}`)
      return this.#wide()
    }
  }

  #wide(): { readonly condition: Condition; readonly isWide: boolean } {
    const { always } = this.#reading.predicates
    return { condition: { holds: always, fails: always, canFail: false }, isWide: true }
  }

  /** Undefined when it depends on unknown variables, or is too long. */
  *#evaluated(expression: Expression, variables: Variables): Pausing<Expression | undefined> {
    try {
      return yield* evaluated(expression, variables, this.#knowledge)
    } catch (error) {
      if (error instanceof GrownTooLarge) return undefined
      throw error
    }
  }

  *#after(actions: readonly Action[], step: string, variables: Variables): Pausing<Variables> {
    if (actions.length === 0) return variables
    const after = new Map(variables)
    this.#budget.spend(4 * variables.size)
    for (const action of actions) {
      if (this.#budget.wantsPause) yield
      yield* this.#apply(action, step, after)
    }
    return after
  }

  *#apply(action: Action, step: string, variables: Map<string, Expression | undefined>): Pausing<void> {
    switch (action.action) {
      case 'set_variable': {
        yield* this.#mayFail(step, action.value, variables)
        if (!this.#read.has(action.name)) return
        const value = yield* this.#evaluated(action.value, variables)
        variables.set(action.name, value !== undefined && isShort(value) ? value : undefined)
        return
      }
      case 'metric':
        return yield* this.#mayFail(step, action.value, variables)
      case 'log':
        return
      case 'call_ruleset':
        this.widened.add(`step ${quote(step)} calls the ruleset ${quote(action.rulesetName)}, which may fail`)
        if (this.#read.has(action.resultVariable)) variables.set(action.resultVariable, undefined)
        return
      case 'external_call':
        for (const [, value] of action.params) yield* this.#mayFail(step, value, variables)
        if (action.resultVariable === undefined) return
        this.widened.add(`step ${quote(step)} calls ${quote(`${action.service}.${action.method}`)}, which may fail`)
        if (this.#read.has(action.resultVariable)) variables.set(action.resultVariable, undefined)
    }
  }

  /** Record an expression whose evaluation can fail for some row. */
  *#mayFail(step: string, expression: Expression, variables: Variables): Pausing<void> {
    const { policy } = this.#knowledge
    if (this.#failing.has(expression) || !canFail(expression, policy)) return
    const known = this.#unread.size === 0 ? variables : new Map([...this.#unread, ...variables])
    const value = (yield* this.#evaluated(expression, known)) ?? expression
    if (!canFail(value, policy)) return
    this.#failing.add(expression)
    this.widened.add(`${quoteCode(print(value))} in step ${quote(step)} may fail for some rows`)
  }
}

/** Approximate bytes of a visited step, without its key. */
const ENTRY = 200

/** Maximum length of an expression substituted for a variable: repeated doubling must end. */
const MAX_LENGTH = 2000

function isShort(expression: Expression): boolean {
  return print(expression).length <= MAX_LENGTH
}

/** Names of the variables that actions set. */
function variablesSet(ruleset: Ruleset): readonly string[] {
  const names = new Set<string>()
  for (const step of ruleset.steps.values()) {
    for (const action of actionsOf(step)) {
      if (action.action === 'set_variable') names.add(action.name)
      else if ('resultVariable' in action && action.resultVariable !== undefined) names.add(action.resultVariable)
    }
  }
  return [...names]
}

function* variablesRead(ruleset: Ruleset, budget: Budget): Pausing<ReadonlySet<string>> {
  const read = new Set<string>()
  for (const step of ruleset.steps.values()) {
    if (step.type === 'terminal') continue
    for (const expression of expressionsRead(step)) {
      if (budget.wantsPause) yield
      variablesIn(expression, read, budget)
    }
  }
  return read
}

/** The expressions that decide where a step leads or that later steps read. */
function* expressionsRead(step: Step & { type: 'decision' | 'action' }): Generator<Expression> {
  if (step.type === 'decision') for (const { condition } of step.branches) yield condition
  for (const action of actionsOf(step)) if (action.action === 'set_variable') yield action.value
}

function* aliveSteps(ruleset: Ruleset, targets: ReadonlySet<string>, budget: Budget): Pausing<ReadonlySet<string>> {
  budget.spend(10 * ruleset.steps.size)
  const graph = stepGraph(ruleset)
  const before = predecessors(graph)
  const alive = new Set<string>()
  const open = graph.ids.flatMap((id, number) => {
    const step = ruleset.steps.get(id)
    return step?.type === 'terminal' && targets.has(step.code) ? [number] : []
  })
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    budget.spend(8)
    if (budget.wantsPause) yield
    const id = defined(graph.ids[number])
    if (alive.has(id)) continue
    alive.add(id)
    open.push(...(before[number] ?? []))
  }
  return alive
}
