import { evaluate } from './evaluate.ts'
import { isPresent, type Scope } from './path.ts'
import { type Expression, parse, type Part, ALL } from './syntax.ts'
import { Failure, isList, isObject, json, objectOf, truth, Unsupported, type Value } from './value.ts'

/** What a decision comes to. */
export interface Decision {
  readonly code: string
  readonly message: string
  readonly output: { readonly [name: string]: Value }
}

/** What an execution is given beside its input. */
export interface Around {
  readonly now: number
  /** Documents of rulesets that `call_ruleset` finds. */
  readonly rulesets: ReadonlyMap<string, Value>
  /** Names of the rulesets that are executed already. */
  readonly within?: readonly string[]
}

export type Members = { readonly [name: string]: Value }

/** Executes a ruleset by docs/rulesets.md. Throws `Failure` for an execution error, and `Unsupported`. */
export function decide(document: Value, input: Value, around: Around): Decision {
  const root = members(document)
  const config = members(root['config'] ?? {})
  const execution = executionOf(config, members(root['sub_rules'] ?? {}), around)
  const frame: Frame = { input, variables: new Map() }
  const end = walk(execution, frame, root['steps'] ?? {}, text(config['entry_step'] ?? 'start'))
  return resultOf(execution, frame, members(end['result'] ?? {}))
}

/** An execution that begins. @param follow enters steps of other types, and gives the id of the next one */
export function executionOf(config: Members, subRules: Members, around: Around, follow?: Follow): Execution {
  return {
    around,
    missing: (config['field_missing'] ?? 'lenient') as Scope['missing'],
    defaults: members(config['defaults'] ?? {}),
    templates: config['message_templates'] === true,
    name: text(config['name']),
    subRules,
    follow,
    stepsLeft: Number(config['max_depth'] ?? 1000),
  }
}

type Follow = (execution: Execution, frame: Frame, step: Members) => string

export interface Execution {
  readonly around: Around
  readonly missing: Scope['missing']
  readonly defaults: Members
  readonly templates: boolean
  readonly name: string
  readonly subRules: Members
  readonly follow: Follow | undefined
  stepsLeft: number
}

/** The input and the variables of a ruleset, or of a sub-rule. */
export interface Frame {
  readonly input: Value
  readonly variables: Map<string, Value>
  /** "`config.defaults` are those of the ruleset's input: no field of a sub-rule has one." */
  readonly isInner?: true
}

export function members(value: Value): Members {
  if (!isObject(value)) throw new Unsupported('a document of another shape')
  return value
}
export function items(value: Value | undefined): readonly Value[] {
  return isList(value ?? []) ? ((value ?? []) as readonly Value[]) : []
}
export function text(value: Value | undefined): string {
  if (typeof value !== 'string') throw new Unsupported('a document of another shape')
  return value
}

function scopeOf({ missing, defaults, around }: Execution, { input, variables, isInner }: Frame): Scope {
  const own = isInner === true ? {} : defaults
  return { input, variable: (name) => variables.get(name), missing, defaults: own, now: around.now, locals: new Map() }
}

/** "Execution enters `entry_step` and goes from step to step until a terminal." */
export function walk(execution: Execution, frame: Frame, steps: Value, entry: string): Members {
  let id = entry
  for (;;) {
    if (execution.stepsLeft-- === 0) throw new Failure('max-depth')
    const step = members(members(steps)[id] ?? null)
    switch (step['type']) {
      case 'terminal':
        return step
      case 'decision':
        id = branch(execution, frame, step)
        break
      case 'action':
        act(execution, frame, items(step['actions']))
        id = text(step['next_step'])
        break
      case 'sub_rule':
        use(execution, frame, step)
        id = text(step['next_step'])
        break
      default:
        if (execution.follow === undefined) throw new Unsupported('a step of another type')
        id = execution.follow(execution, frame, step)
    }
  }
}

/** "`branches` are tried in order, the first true one is taken, its `actions` run, then its target is entered." */
function branch(execution: Execution, frame: Frame, step: Members): string {
  for (const one of items(step['branches']).map(members)) {
    if (!truth(valueOf(execution, frame, one['condition'] ?? null))) continue
    act(execution, frame, items(one['actions']))
    return text(one['next_step'])
  }
  if (step['default_next'] === undefined || step['default_next'] === null) throw new Failure('no-branch')
  return text(step['default_next'])
}

function act(execution: Execution, frame: Frame, actions: readonly Value[]): void {
  for (const action of actions.map(members)) {
    switch (action['action']) {
      case 'set_variable':
        frame.variables.set(text(action['name']), valueOf(execution, frame, action['value'] ?? null))
        break
      case 'call_ruleset':
        frame.variables.set(text(action['result_variable']), callRuleset(execution, frame, action))
        break
      case 'log':
      case 'metric':
        // What they are given is evaluated, and decides nothing.
        if (action['action'] === 'metric') valueOf(execution, frame, action['value'] ?? null)
        if (action['action'] === 'log') throw new Unsupported('messages of logs')
        break
      default:
        throw new Unsupported('an action that leaves the execution')
    }
  }
}

/** "Decides with another ruleset; `$var.code`, `.message`, `.output`; a cycle is an error." */
function callRuleset(execution: Execution, frame: Frame, action: Members): Value {
  const { around, name: own } = execution
  const name = text(action['ruleset_name'])
  const within = [...(around.within ?? []), own]
  const document = around.rulesets.get(name)
  if (document === undefined || within.includes(name)) throw new Failure('call')
  const mapping = action['input_mapping']
  const input = mapping === undefined || mapping === null ? frame.input : valueOf(execution, frame, mapping)
  const { code, message, output } = decide(document, input, { ...around, within })
  return { code, message, output }
}

/** "A sub-rule sees what is bound as its input, and nothing else. Its variables are its own, and null when it is entered." */
function use(execution: Execution, frame: Frame, step: Members): void {
  const graph = members(execution.subRules[text(step['ref_name'])] ?? null)
  const bound = items(step['bindings']).flatMap((pair): readonly (readonly [string, Value])[] => {
    const [field, source] = items(pair)
    const expression = expressionOf(source ?? null)
    const isPlainPath = expression.kind === 'path' && !expression.parts.includes(ALL)
    if (isPlainPath && !isPresent(expression, scopeOf(execution, frame))) {
      if (execution.missing === 'default') throw new Unsupported('a binding that may have a default')
      if (!readsWhole(graph)) return []
      if (execution.missing === 'strict') throw new Failure('missing-field')
      return [[text(field), null]]
    }
    return [[text(field), evaluate(expression, scopeOf(execution, frame))]]
  })
  const inner: Frame = {
    input: objectOf(bound),
    isInner: true,
    variables: new Map(variablesOf(graph['steps'] ?? {}).map((name) => [name, null])),
  }
  walk(execution, inner, graph['steps'] ?? {}, text(graph['entry_step'] ?? 'start'))
  const found = items(step['outputs']).map((pair) => {
    const [own, theirs] = items(pair)
    return [text(own), inner.variables.get(text(theirs)) ?? null] as const
  })
  for (const [name, value] of found) frame.variables.set(name, value ?? frame.variables.get(name) ?? null)
}

/** "Where a sub-rule reads `$`, such a path is null there, and an error in mode `strict`." */
const readsWhole = (graph: Members) =>
  /\$(?![A-Za-z_.[])|\$(?:\.|\[)\*/.test(json(graph)) ||
  // Without a mapping the called ruleset gets the whole input.
  Object.values(members(graph['steps'] ?? {}))
    .flatMap((step) => actionsOf(members(step)))
    .some((action) => action['action'] === 'call_ruleset' && action['input_mapping'] === undefined)

/** The actions of a step and of its branches. */
const actionsOf = (step: Members): readonly Members[] =>
  [...items(step['actions']), ...items(step['branches']).flatMap((one) => items(members(one)['actions']))].map(members)

/** The variables that the steps of a graph set. */
function variablesOf(steps: Value): readonly string[] {
  return Object.values(members(steps))
    .map(members)
    .flatMap((step) => {
      const set = actionsOf(step).flatMap((action) => [action['name'], action['result_variable']])
      const outputs = items(step['outputs']).map((pair) => items(pair)[0])
      return [...set, ...outputs].filter((name): name is string => typeof name === 'string')
    })
}

/** "Every other field goes to `output` as it is. A list of `[name, expression]` is evaluated instead." */
function resultOf(execution: Execution, frame: Frame, result: Members): Decision {
  const { code, message, output, ...fields } = result
  const pairs = isList(output ?? null) && items(output).every((pair) => items(pair).length === 2)
  const evaluated = pairs
    ? items(output).map((pair) => {
        const [name, source] = items(pair)
        return [text(name), valueOf(execution, frame, source ?? null)] as const
      })
    : []
  const kept = pairs || output === undefined ? fields : { ...fields, output }
  return {
    code: text(code),
    message: execution.templates ? filled(execution, frame, text(message)) : text(message),
    output: { ...kept, ...objectOf(evaluated) },
  }
}

/** "`{expression}` in messages is evaluated; `{{` and `}}` are braces." */
function filled(execution: Execution, frame: Frame, template: string): string {
  return template.replaceAll(/\{\{|\}\}|\{([^{}]*)\}/g, (whole, source: string | undefined) => {
    if (source === undefined) return whole.slice(1)
    const value = valueOf(execution, frame, source)
    return typeof value === 'string' ? value : json(value)
  })
}

export function valueOf(execution: Execution, frame: Frame, source: Value): Value {
  return evaluate(expressionOf(source), scopeOf(execution, frame))
}

/** An expression of a document: text, a form, or a constant. */
function expressionOf(source: Value): Expression {
  if (typeof source === 'string') return parse(source)
  return isObject(source) ? formOf(source) : { kind: 'literal', value: source }
}

const OPERATORS: { readonly [name: string]: string } = {
  Add: '+',
  Sub: '-',
  Mul: '*',
  Div: '/',
  Mod: '%',
  Eq: '==',
  Ne: '!=',
  Lt: '<',
  Le: '<=',
  Gt: '>',
  Ge: '>=',
  And: '&&',
  Or: '||',
  In: 'in',
  NotIn: 'not in',
  Contains: 'contains',
}

/** "Where text is allowed, an object may stand instead. A string inside it is expression text." */
function formOf(form: Members): Expression {
  const [[kind, content] = ['', null]] = Object.entries(form)
  const parts = isObject(content) ? content : {}
  const inner = (value: Value | undefined) => expressionOf(value ?? null)
  switch (kind) {
    case 'Field':
      return parse(text(content))
    case 'Literal':
      return { kind: 'literal', value: content }
    case 'Array':
      return { kind: 'list', items: items(content).map(inner) }
    case 'Object':
      return { kind: 'object', members: items(content).map((pair) => [text(items(pair)[0]), inner(items(pair)[1])]) }
    case 'Unary':
      return { kind: 'unary', operator: parts['op'] === 'Not' ? '!' : '-', operand: inner(parts['operand']) }
    case 'Binary': {
      const operator = OPERATORS[text(parts['op'])]
      if (operator === undefined) throw new Unsupported('an operator of another name')
      return { kind: 'binary', operator, left: inner(parts['left']), right: inner(parts['right']) }
    }
    case 'Conditional':
      return {
        kind: 'if',
        test: inner(parts['condition']),
        consequent: inner(parts['then_branch']),
        otherwise: inner(parts['else_branch']),
      }
    case 'Call':
      return { kind: 'call', name: text(parts['name']), args: items(parts['args']).map(inner) }
    case 'Lambda':
      return { kind: 'lambda', names: items(parts['params']).map(text), body: inner(parts['body']) }
    case 'Exists':
      return { kind: 'call', name: 'exists', args: [inner(content)] }
    case 'Coalesce':
      return { kind: 'call', name: 'coalesce', args: items(content).map(inner) }
    case 'Member':
      return { kind: 'member', of: inner(parts['object']), parts: items(parts['path']).map(partOf) }
    default:
      throw new Unsupported(`the form ${kind}`)
  }
}

function partOf(part: Value): Part {
  if (isObject(part)) return ALL
  return typeof part === 'number' ? part : text(part)
}
