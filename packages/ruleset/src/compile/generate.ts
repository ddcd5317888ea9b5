import { Constants, defined, type MakeFunction, type Value } from '@engine/expression/core'
import type { BranchCounts } from '../execute/branch-counts.ts'
import type { Execution } from '../execute/execution.ts'
import type { Steps } from '../execute/interpreter.ts'
import type { Decision } from '../program.ts'
import { actionsOf } from '../step-expressions.ts'
import { BlockEmitter, type BlockStyle } from './block-emitter.ts'
import { isRestartable, type Plan } from './plan.ts'
import { scalesOf } from './scales.ts'

/** A ruleset as JavaScript. `steps` when it may have to wait. The input is an object. */
export type Code =
  | { readonly kind: 'plain'; readonly run: (input: Value, execution: Execution) => Decision }
  | { readonly kind: 'steps'; readonly run: (input: Value, execution: Execution) => Steps }

/** Text length beyond which V8 no longer optimises a function: then every block becomes its own function. */
const MAX_FUNCTION = 40_000

export interface CodeOptions {
  readonly isTraced: boolean
  readonly branchCounts: BranchCounts | undefined
  readonly makeFunction: MakeFunction
  /** Look up branches by index instead of trying them in order; false only to compare the two. */
  readonly dispatch: boolean
}

/** Generate the code of a ruleset. */
export function generateCode(plan: Plan, options: CodeOptions): Code {
  const code = generate(plan, options)
  const { branchCounts } = options
  if (branchCounts === undefined || code.kind === 'steps' || !isRestartable(plan)) return code
  return { kind: 'plain', run: branchCounts.countingOnce(code.run) }
}

function generate(plan: Plan, options: CodeOptions): Code {
  const scales = plan.policy.numbers === 'decimal' ? scalesOf(plan.steps.flatMap(actionsOf)) : undefined
  // Coefficients lengthen the text.
  const single = singleFunction(plan, options, scales) ?? (scales && singleFunction(plan, options, undefined))
  if (single !== undefined) return { kind: plan.isResumable ? 'steps' : 'plain', run: single } as Code
  const split = new SplitProgram(plan, options)
  return plan.isResumable
    ? { kind: 'steps', run: (input, execution) => split.steps(input, execution) }
    : { kind: 'plain', run: (input, execution) => split.run(input, execution) }
}

/** Blocks in the order of first use: the first is the entry. */
class Labels {
  readonly known: { readonly step: number; readonly branch: number | undefined }[] = []
  readonly #numbers = new Map<string, number>()

  number(step: number, branch?: number): number {
    const key = `${step}:${branch ?? ''}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.known.length)
    return this.known.push({ step, branch }) - 1
  }
}

/** Everything in one function, or undefined when it would be too large. */
function singleFunction(
  plan: Plan,
  options: CodeOptions,
  scales: BlockStyle['scales'],
): ((input: Value, execution: Execution) => unknown) | undefined {
  const labels = new Labels()
  const constants = new Constants()
  const emitter = new BlockEmitter(plan, styleOf(options, labels, { isSplit: false, scales }), constants)
  labels.number(plan.graph.entry)
  const blocks: string[] = []
  let size = 0
  for (let label = 0; label < labels.known.length; label++) {
    const { step, branch } = defined(labels.known[label])
    const text = emitter.block(step, branch)
    size += text.length
    if (size > MAX_FUNCTION) return undefined
    blocks.push(text)
  }
  const variables = [...plan.variables].flatMap(([name, number]) =>
    scales?.has(name) === true ? [`v${number}`, `c${number} = NaN`] : [`v${number}`],
  )
  const names = [...variables, ...temporaries(emitter)]
  const declared = names.length === 0 ? '' : `let ${names.join(', ')}\n`
  const jumps = blocks.some((text) => text.includes('continue\n'))
  const cases = blocks.map((text, label) => `case ${label}: {\n${text}}\n`).join('')
  const body = jumps ? `let p = 0\nfor (;;) switch (p) {\n${cases}}\n` : defined(blocks[0])
  return make(
    options.makeFunction,
    constants,
    `${plan.isResumable ? 'function*' : 'function'} (input, x)`,
    declared + body,
  )
}

function styleOf(options: CodeOptions, labels: Labels, variables: Pick<BlockStyle, 'isSplit' | 'scales'>): BlockStyle {
  return {
    isTraced: options.isTraced,
    branchCounts: options.branchCounts,
    ...variables,
    dispatchWith: options.dispatch ? options.makeFunction : undefined,
    label: (step, branch) => labels.number(step, branch),
  }
}

function temporaries(emitter: BlockEmitter): string[] {
  return Array.from({ length: emitter.temporaries }, (_, index) => `t${index}`)
}

/**
 * `head` determines the kind of function. The parentheses make V8 compile it now instead of during its first execution.
 */
function make(makeFunction: MakeFunction, constants: Constants, head: string, body: string) {
  const text = `${constants.declarations('constants')}return (${head} {\n${body}})\n`
  return makeFunction(['constants'], text)(constants.values)
}

type Block = (input: Value, execution: Execution, variables: unknown[]) => number | Decision
type ResumableBlock = (
  input: Value,
  execution: Execution,
  variables: unknown[],
) => Generator<Promise<unknown>, number | Decision, unknown>

/** One function per block, created when an execution first reaches it. */
class SplitProgram {
  readonly #plan: Plan
  readonly #options: CodeOptions
  readonly #labels = new Labels()
  readonly #blocks: (Block | ResumableBlock)[] = []

  constructor(plan: Plan, options: CodeOptions) {
    this.#plan = plan
    this.#options = options
    this.#labels.number(plan.graph.entry)
  }

  run(input: Value, execution: Execution): Decision {
    const variables = this.#variables()
    for (let next = 0; ;) {
      const result = ((this.#blocks[next] ??= this.#block(next)) as Block)(input, execution, variables)
      if (typeof result !== 'number') return result
      next = result
    }
  }

  *steps(input: Value, execution: Execution): Steps {
    const variables = this.#variables()
    for (let next = 0; ;) {
      const result = yield* ((this.#blocks[next] ??= this.#block(next)) as ResumableBlock)(input, execution, variables)
      if (typeof result !== 'number') return result
      next = result
    }
  }

  #variables(): unknown[] {
    return Array.from({ length: this.#plan.variables.size })
  }

  #block(label: number): Block | ResumableBlock {
    const { step, branch } = defined(this.#labels.known[label])
    const constants = new Constants()
    const emitter = new BlockEmitter(
      this.#plan,
      styleOf(this.#options, this.#labels, { isSplit: true, scales: undefined }),
      constants,
    )
    const text = emitter.block(step, branch)
    const names = temporaries(emitter)
    const declared = names.length === 0 ? '' : `let ${names.join(', ')}\n`
    const head = `${this.#plan.isResumable ? 'function*' : 'function'} (input, x, v)`
    return make(this.#options.makeFunction, constants, head, declared + text)
  }
}
