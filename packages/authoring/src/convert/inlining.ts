import { type Expression, print, rewrite, toJsonForm, type Value, walk } from '@engine/expression'
import type { Action, Ruleset, RulesetDocument, Step } from '@engine/ruleset'
import { isFields, member } from '@engine/ruleset'

/** UTF-16 units of an expression text; longer ones are written in JSON form. */
const MAX_TEXT_LENGTH = 64 * 1024
/** UTF-16 units of an id. */
const MAX_ID = 256

/** A ruleset without sub-rules. */
export interface Inlined {
  readonly document: RulesetDocument
  /** The original name of a variable in its sub-rule. */
  readonly originalOf: (variable: string) => string
}

/**
 * The document with sub-rule uses replaced by the decoder's inlined copies, so that it is self-contained. Steps of the
 * ruleset itself are kept as written. Linear in the size of the result.
 */
export function inlined(document: RulesetDocument, ruleset: Ruleset): Inlined {
  const { sub_rules: subRules, ...rest } = document
  if (subRules === undefined) return { document, originalOf: (name) => name }
  const own = member(document, 'steps')
  const names = new Names(ruleset)
  const steps = Array.from(ruleset.steps.values(), (step): [string, Value] => {
    const written = isFields(own) ? member(own, step.id) : undefined
    const isOwn = isFields(written) && member(written, 'type') !== 'sub_rule'
    return [names.id(step.id), isOwn ? written : encodeStep(names, step)]
  })
  return {
    document: { ...rest, steps: Object.fromEntries(steps) },
    originalOf: (name) => names.originals.get(name) ?? name,
  }
}

const PLAIN = /^[\p{ID_Start}_]\p{ID_Continue}*$/u

/** Translates the decoder's names, `use/name`, to names that are valid in a document. */
class Names {
  /** Variables that were renamed. */
  readonly originals = new Map<string, string>()
  readonly #taken = new Set<string>()
  readonly #variables = new Map<string, string>()
  readonly #ids = new Map<string, string>()
  readonly #takenIds: Set<string>

  constructor({ steps }: Ruleset) {
    this.#takenIds = new Set(steps.keys())
    for (const step of steps.values()) for (const name of variablesOf(step)) if (PLAIN.test(name)) this.#taken.add(name)
  }

  variable(name: string): string {
    if (PLAIN.test(name)) return name
    const known = this.#variables.get(name)
    if (known !== undefined) return known
    const plain = `_${name.replace(/\W/g, '_').slice(-64)}`
    let fresh = plain
    for (let number = 2; this.#taken.has(fresh); number++) fresh = `${plain}_${number}`
    this.#taken.add(fresh)
    this.#variables.set(name, fresh)
    this.originals.set(fresh, name.slice(name.lastIndexOf('/') + 1))
    return fresh
  }

  id(id: string): string {
    if (id.length <= MAX_ID) return id
    const known = this.#ids.get(id)
    if (known !== undefined) return known
    const short = id.slice(0, MAX_ID - 8)
    let fresh = short
    for (let number = 2; this.#takenIds.has(fresh); number++) fresh = `${short}~${number}`
    this.#takenIds.add(fresh)
    this.#ids.set(id, fresh)
    return fresh
  }

  /** The text of an expression with the document's names. */
  text(expression: Expression): Value {
    const renamed = rewrite(expression, (node) =>
      node.kind === 'variable' ? { ...node, name: this.variable(node.name) } : node,
    )
    const text = print(renamed)
    return text.length <= MAX_TEXT_LENGTH ? text : toJsonForm(renamed)
  }
}

function expressionsOf(step: Step): readonly Expression[] {
  switch (step.type) {
    case 'decision':
      return step.branches.flatMap(({ condition, actions }) => [condition, ...actions.flatMap(expressionsIn)])
    case 'action':
      return step.actions.flatMap(expressionsIn)
    case 'terminal':
      return step.output.map(([, value]) => value)
  }
}

function expressionsIn(action: Action): readonly Expression[] {
  switch (action.action) {
    case 'set_variable':
    case 'metric':
      return [action.value]
    case 'external_call':
      return action.params.map(([, value]) => value)
    case 'call_ruleset':
    case 'log':
      return []
  }
}

function variablesOf(step: Step): readonly string[] {
  const names: string[] = []
  for (const expression of expressionsOf(step))
    walk(expression, (node) => {
      if (node.kind === 'variable') names.push(node.name)
    })
  const actions =
    step.type === 'action'
      ? step.actions
      : step.type === 'decision'
        ? step.branches.flatMap((branch) => branch.actions)
        : []
  for (const action of actions) {
    if (action.action === 'set_variable') names.push(action.name)
    else if ('resultVariable' in action && action.resultVariable !== undefined) names.push(action.resultVariable)
  }
  return names
}

function encodeStep(names: Names, step: Step): Value {
  const id = names.id(step.id)
  switch (step.type) {
    case 'decision': {
      const branches = step.branches.map(({ condition, nextStep, actions }): Value => ({
        condition: names.text(condition),
        next_step: names.id(nextStep),
        ...(actions.length > 0 && { actions: actions.map((action) => encodeAction(names, action)) }),
      }))
      const { defaultNext } = step
      const otherwise = defaultNext === undefined ? {} : { default_next: names.id(defaultNext) }
      return { id, name: step.name, type: 'decision', branches, ...otherwise }
    }
    case 'action': {
      const actions = step.actions.map((action) => encodeAction(names, action))
      return { id, name: step.name, type: 'action', actions, next_step: names.id(step.nextStep) }
    }
    case 'terminal':
      throw new Error(`a terminal step was copied: ${id}`)
  }
}

function encodeAction(names: Names, action: Action): Value {
  switch (action.action) {
    case 'set_variable':
      return { action: 'set_variable', name: names.variable(action.name), value: names.text(action.value) }
    case 'log':
      return { action: 'log', message: action.message, level: action.level }
    case 'external_call': {
      const { service, method, params, resultVariable, timeoutMs } = action
      return {
        action: 'external_call',
        service,
        method,
        params: params.map(([name, value]): Value => [name, names.text(value)]),
        ...(resultVariable === undefined ? {} : { result_variable: names.variable(resultVariable) }),
        ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
      }
    }
    case 'metric':
    case 'call_ruleset':
      throw new Error(`no step of the editor produces a ${action.action} action`)
  }
}
