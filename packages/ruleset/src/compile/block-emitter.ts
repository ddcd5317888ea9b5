import {
  type Coefficient,
  Constants,
  defined,
  type EmitScope,
  emitScaled,
  emitTruth,
  emitValue,
  type Expression,
  fold,
  isTrue,
  type MakeFunction,
  NO_SPAN,
  scaledNumber,
  sizeOf,
} from '@engine/expression/core'
import { NEEDS_PAUSE } from '../execute/execution.ts'
import type { BranchCounts } from '../execute/branch-counts.ts'
import { createDispatch } from '../dispatch/dispatch.ts'
import { callExternal, callRuleset, log, metric, sendExternal } from '../execute/actions.ts'
import { failures } from '../execute/failures.ts'
import { pauseOf } from '../execute/execution.ts'
import { constantDecision, given, isLarge, messageText, outputShape } from '../execute/result.ts'
import type { Action, Branch, DecisionStep, TerminalStep } from '../model.ts'
import type { Decision } from '../program.ts'
import { isRestartable, isUnbounded, type Plan } from './plan.ts'

/** How the blocks of a program are connected. */
export interface BlockStyle {
  readonly isTraced: boolean
  readonly branchCounts: BranchCounts | undefined
  /**
   * Every block is its own function and variables live in an array: for large graphs. Otherwise all blocks share one
   * function.
   */
  readonly isSplit: boolean
  /**
   * The scales of the variables that have a coefficient, `c0` for `v0`. Undefined: numbers are computed without
   * coefficients.
   */
  readonly scales: ReadonlyMap<string, number> | undefined
  /** Undefined: branches are tried in order. */
  readonly dispatchWith: MakeFunction | undefined
  /** The block number of a step, or of one of its branches (its actions and what follows). */
  label(step: number, branch?: number): number
}

/** Decisions with at least this many branches use an index instead of trying branches in order. */
const MIN_DISPATCHED = 8
/** Nesting levels of `if`; deeper steps become separate blocks. */
const MAX_DEPTH = 12
/** Units of work of a condition after which a pause is possible. */
const HEAVY = 2000
/** Steps in one block. */
const MAX_SIZE = 150

/**
 * Emits the JavaScript of one block: a step and everything after it, up to steps that other paths also reach. No user
 * text appears in the code; it is all in the constants.
 *
 * Names in the code: `input`, `x` (the `Execution`), `v0`… or `v[0]`… (variables), `c0`… (their coefficients), `t0`… (temporaries), `p` (the next
 * block, when one function holds all), `w` (the awaited value).
 */
export class BlockEmitter {
  readonly constants: Constants
  readonly #plan: Plan
  readonly #style: BlockStyle
  readonly #scope: EmitScope
  /** Temporaries that the function declares. */
  temporaries = 0
  #used = 0
  #steps = 0

  constructor(plan: Plan, style: BlockStyle, constants: Constants) {
    this.constants = constants
    this.#plan = plan
    this.#style = style
    this.#scope = {
      constants,
      input: 'input',
      inputIsObject: true,
      runtime: 'x',
      policy: plan.policy,
      variable: (name) => this.#read(name),
      ...(style.scales && { coefficient: (name: string) => this.#coefficient(name) }),
      temporary: () => `t${this.#used++}`,
    }
  }

  /** The statements of a block. They end in `return` or in a jump. */
  block(step: number, branch: number | undefined): string {
    this.#steps = 0
    if (branch === undefined) return this.#step(step, 0)
    const taken = defined((this.#plan.steps[step] as DecisionStep).branches[branch])
    return this.#actions(taken.actions, step) + this.#goto(taken.nextStep, 0)
  }

  #step(number: number, depth: number): string {
    this.#steps++
    const step = this.#plan.steps[number]
    const enter = this.#enter(number)
    switch (step?.type) {
      case 'terminal':
        return `${enter}${this.#terminal(step)}\n`
      case 'action':
        return enter + this.#actions(step.actions, number) + this.#goto(step.nextStep, depth)
      case 'decision':
        return enter + this.#decision(step, number, depth)
      case undefined:
        throw new Error(`there is no step ${number}`)
    }
  }

  #enter(number: number): string {
    const { isCounted, isCharged, isLong, weights, ruleset, graph } = this.#plan
    const id = () => this.constants.add(graph.ids[number])
    let text = this.#needsNoPlace(number) ? '' : `x.step = ${number}\n`
    if (isCounted) {
      const { maxDepth } = ruleset.config
      text += `if (++x.entered > ${maxDepth}) throw ${this.constants.add(failures.maxDepth)}(${maxDepth}, ${id()})\n`
    }
    if (isCharged) text += `x.budget.spend(${weights[number]})\n`
    if (isLong) text += this.#turn()
    return this.#style.isTraced ? `${text}x.tracer.enter(${number})\n` : text
  }

  /**
   * A decision whose conditions are text does not record that it runs: a failing condition is located by its spans
   * (`StepPlaces`). One store per step would cost more than many conditions.
   */
  #isPlacedBySpan(number: number): boolean {
    const step = this.#plan.steps[number]
    return (
      step?.type === 'decision' &&
      step.branches.every(({ condition }) => condition.kind === 'literal' || condition.span !== NO_SPAN) &&
      !this.#plan.isLong
    )
  }

  /** Yields to other work when due; code that cannot wait throws, to be restarted in a form that can. */
  #turn(): string {
    const { constants } = this
    if (!this.#plan.isResumable)
      return `if (x.budget.wantsPause && x.host.pause !== undefined) throw ${constants.add(NEEDS_PAUSE)}\n`
    const pause = constants.add(pauseOf)
    return `if (x.budget.wantsPause) { const w = ${pause}(x); if (w !== undefined) { yield w; x.budget.resumed() } }\n`
  }

  #needsNoPlace(number: number): boolean {
    const step = this.#plan.steps[number]
    const cannotFail = step?.type === 'terminal' && constantDecision(step) !== undefined && !this.#plan.isCounted
    return cannotFail || this.#isPlacedBySpan(number)
  }

  #goto(id: string, depth: number): string {
    const { graph, heads, steps } = this.#plan
    const to = defined(graph.numbers.get(id))
    const isShort = steps[to]?.type === 'terminal' && constantDecision(steps[to]) !== undefined
    if (!isShort && (heads.has(to) || depth > MAX_DEPTH || this.#steps > MAX_SIZE))
      return this.#jump(this.#style.label(to))
    return this.#step(to, depth)
  }

  #jump(label: number | string): string {
    return this.#style.isSplit ? `return ${label}\n` : `p = ${label}\ncontinue\n`
  }

  #terminal(step: TerminalStep): string {
    const constant = constantDecision(step)
    if (constant !== undefined) return `return ${this.constants.add(this.#shared(step, constant))}`
    const parts = step.message.kind === 'template' ? step.message.parts.filter((part) => typeof part !== 'string') : []
    const { constants } = this
    const values = parts.map((part) => this.#value(part))
    const message =
      step.message.kind === 'text'
        ? constants.add(step.message.text)
        : `${constants.add(messageText)}(x, ${constants.add(step.message)}, [${values.join(', ')}])`
    // Copying an object that already has all members is much cheaper than adding them one by one.
    const shape = constants.add(outputShape(step))
    const members = step.output.map(([name, value]) => `o[${constants.add(name)}] = ${this.#value(value)}\n`)
    return `const m = ${message}, o = { ...${shape} }\n${members.join('')}${this.#given(step)}return { code: ${constants.add(step.code)}, message: m, output: o }`
  }

  /** A terminal's constant decision is one object shared by all blocks. */
  #shared(step: TerminalStep, fresh: Decision): Decision {
    const known = decisions.get(step)
    if (known !== undefined) return known
    decisions.set(step, fresh)
    return fresh
  }

  #decision(step: DecisionStep, number: number, depth: number): string {
    const dispatched = this.#dispatched(step, number)
    if (dispatched !== undefined) return dispatched
    const { isLong } = this.#plan
    let text = ''
    let wasLong = false
    for (const [index, { condition, actions, nextStep }] of step.branches.entries()) {
      const folded = fold(condition, this.#plan.policy, this.#plan.folding)
      if (folded.kind === 'literal' && !isTrue(folded.value)) continue
      if (folded.kind === 'literal')
        return text + this.#take(number, index) + this.#actions(actions, number) + this.#goto(nextStep, depth)
      const truth = this.#emit(() => emitTruth(folded, this.#scope))
      if (wasLong) text += this.#turn()
      wasLong = isLong && (isUnbounded(folded) || sizeOf(folded) > HEAVY)
      text += `if (${truth}) {\n${this.#take(number, index)}${this.#actions(actions, number)}${this.#goto(nextStep, depth + 1)}}\n`
    }
    return text + this.#otherwise(step, number, depth)
  }

  #otherwise(step: DecisionStep, number: number, depth: number): string {
    const { length } = step.branches
    if (step.defaultNext !== undefined) return this.#take(number, length) + this.#goto(step.defaultNext, depth)
    return `${this.#count(number, length)}throw ${this.constants.add(failures.noBranch)}(${this.constants.add(step.id)})\n`
  }

  /** Records the branch taken, which is known here or in an expression of the code. */
  #take(step: number, branch: number | string): string {
    return this.#count(step, branch) + this.#trace(branch)
  }

  #trace(branch: number | string): string {
    return this.#style.isTraced ? `x.tracer.take(${branch})\n` : ''
  }

  #count(step: number, branch: number | string): string {
    const { branchCounts } = this.#style
    if (branchCounts === undefined) return ''
    const index = `${branchCounts.offsets[step]} + ${branch}`
    return isRestartable(this.#plan)
      ? `${this.constants.add(branchCounts.pending)}.push(${index})\n`
      : `${this.constants.add(branchCounts.counters)}[${index}]++\n`
  }

  /** Looks up the branch by index, and its target in tables by branch number. */
  #dispatched(step: DecisionStep, number: number): string | undefined {
    const { dispatchWith, isTraced } = this.#style
    if (dispatchWith === undefined || step.branches.length < MIN_DISPATCHED) return undefined
    const select = createDispatch(
      step.branches.map(({ condition }) => condition),
      this.#plan,
      dispatchWith,
    )
    if (select === undefined) return undefined
    const { constants } = this
    const lookup = [...step.branches, undefined].map((branch, index) =>
      this.#outcome(step, number, branch, index, isTraced),
    )
    const results = constants.add(lookup.map(({ result }) => result))
    const targets = constants.add(lookup.map(({ target }) => target))
    const names = [...this.#plan.variables.keys()]
    const reader = constants.add(names.length === 0 ? NO_VARIABLES : variableReader(this.#plan.variables))
    const variables = names.length === 0 ? reader : `${reader}([${names.map((name) => this.#read(name)).join(', ')}])`
    const none = `throw ${constants.add(failures.noBranch)}(${constants.add(step.id)})`
    return [
      `const b = ${constants.add(select)}(input, ${variables}, x), r = ${results}[b]`,
      this.#count(number, 'b'),
      'if (r !== undefined) return r',
      `if (${targets}[b] < 0) ${none}`,
      `${this.#trace('b')}${this.#jump(`${targets}[b]`)}`,
    ].join('\n')
  }

  /** The target of a branch (undefined: the default): a decision, or a block; -1 is none. */
  #outcome(
    step: DecisionStep,
    number: number,
    branch: Branch | undefined,
    index: number,
    isTraced: boolean,
  ): { result: Decision | undefined; target: number } {
    const next = branch === undefined ? step.defaultNext : branch.nextStep
    if (next === undefined) return { result: undefined, target: -1 }
    const { graph, steps, isCounted } = this.#plan
    const to = defined(graph.numbers.get(next))
    if (branch !== undefined && branch.actions.length > 0)
      return { result: undefined, target: this.#style.label(number, index) }
    const target = steps[to]
    if (target?.type === 'terminal' && !isTraced && !isCounted) {
      const constant = constantDecision(target)
      if (constant !== undefined) return { result: this.#shared(target, constant), target: -1 }
    }
    return { result: undefined, target: this.#style.label(to) }
  }

  #actions(actions: readonly Action[], step: number): string {
    if (actions.length === 0) return ''
    const enter = this.#isPlacedBySpan(step) ? `x.step = ${step}\n` : ''
    return (
      enter +
      actions
        .map((action) => this.#action(action, this.constants.add(this.#plan.graph.ids[step])))
        .join(this.#plan.isLong ? this.#turn() : '')
    )
  }

  #action(action: Action, step: string): string {
    const call = (run: unknown, ...rest: string[]) =>
      `${this.constants.add(run)}(${['x', this.constants.add(action), step, ...rest].join(', ')})`
    switch (action.action) {
      case 'set_variable':
        return this.#set(action.name, action.value)
      case 'log':
        return `${call(log)}\n`
      case 'metric':
        return `${call(metric, this.#value(action.value))}\n`
      case 'external_call': {
        const values = `[${action.params.map(([, expression]) => this.#value(expression)).join(', ')}]`
        if (action.resultVariable === undefined) return `${call(sendExternal, values)}\n`
        return this.#awaited(action.resultVariable, call(callExternal, values))
      }
      case 'call_ruleset': {
        const mapped = action.inputMapping === undefined ? 'input' : this.#value(action.inputMapping)
        return this.#awaited(action.resultVariable, call(callRuleset, mapped))
      }
    }
  }

  /** Sets a variable to the result of a call, which may be a promise. */
  #awaited(name: string, call: string): string {
    const variable = this.#variable(name)
    return `${variable} = ${call}\nif (${variable} instanceof ${this.constants.add(Promise)}) ${variable} = yield ${variable}\n${this.#forget(name)}`
  }

  #value(expression: Expression): string {
    return this.#emit(() => emitValue(this.#folded(expression), this.#scope), false)
  }

  #folded(expression: Expression): Expression {
    return fold(expression, this.#plan.policy, this.#plan.folding)
  }

  /** Sets a variable to a value, and its coefficient if it has one. */
  #set(name: string, value: Expression): string {
    const variable = this.#variable(name)
    const coefficient = this.#coefficient(name)
    if (coefficient === undefined) return `${variable} = ${this.#value(value)}\n`
    return this.#emit(() => {
      const folded = this.#folded(value)
      const scaled = emitScaled(folded, this.#scope, coefficient.scale)
      if (scaled === undefined) return `${variable} = ${emitValue(folded, this.#scope)}\n${this.#forget(name)}`
      const t = this.#scope.temporary()
      const otherwise = `${variable} = ${scaled.otherwise}\n${this.#forget(name)}`
      return `if ((${t} = ${scaled.coefficient}) === ${t}) ${coefficient.name} = ${t}\nelse {\n${otherwise}}\n`
    }, false)
  }

  /** Marks that a variable has no coefficient. */
  #forget(name: string): string {
    const coefficient = this.#coefficient(name)
    return coefficient === undefined ? '' : `${coefficient.name} = NaN\n`
  }

  /** Measures an output that may contain large values. */
  #given(step: TerminalStep): string {
    const { constants } = this
    const names = step.output.filter(([, { kind }]) => MAY_BE_LARGE.has(kind)).map(([name]) => constants.add(name))
    if (names.length === 0) return ''
    const large = constants.add(isLarge)
    return `if (${names.map((name) => `${large}(o[${name}])`).join(' || ')}) ${constants.add(given)}(x.budget, o)\n`
  }

  /** Temporaries live for one statement; those of one statement are distinct. */
  #emit(emit: () => string, isStatement = true): string {
    if (isStatement) this.#used = 0
    const text = emit()
    this.temporaries = Math.max(this.temporaries, this.#used)
    return text
  }

  /** Reads a variable; undefined if it is unset. */
  #read(name: string): string {
    const variable = this.#variable(name) ?? 'undefined'
    const coefficient = this.#coefficient(name)
    if (coefficient === undefined) return variable
    const { name: c, scale } = coefficient
    return `(${c} === ${c} ? ${scaledNumber(c, scale)} : ${variable})`
  }

  #coefficient(name: string): Coefficient | undefined {
    const [number, scale] = [this.#plan.variables.get(name), this.#style.scales?.get(name)]
    return number === undefined || scale === undefined ? undefined : { name: `c${number}`, scale }
  }

  #variable(name: string): string | undefined {
    const number = this.#plan.variables.get(name)
    if (number === undefined) return undefined
    return this.#style.isSplit ? `v[${number}]` : `v${number}`
  }
}

/** Expressions whose value may be a list or an object. */
const MAY_BE_LARGE: ReadonlySet<Expression['kind']> = new Set([
  'field',
  'variable',
  'local',
  'member',
  'array',
  'object',
  'conditional',
  'call',
  'binary',
])

const decisions = new WeakMap<TerminalStep, Decision>()

const NO_VARIABLES = { get: () => undefined }

function variableReader(numbers: ReadonlyMap<string, number>) {
  return (values: readonly unknown[]) => ({
    get: (name: string) => {
      const number = numbers.get(name)
      return number === undefined ? undefined : values[number]
    },
  })
}
