import {
  isList,
  escapedKey,
  type Expression,
  fromJsonForm,
  isObject,
  parse,
  print,
  type Value,
} from '@engine/expression'

/** What an expression is for: a missing field means something else in each. */
export type Role = 'condition' | 'value' | 'binding'

/** An expression of a document. */
export interface PlacedExpression {
  readonly path: string
  readonly role: Role
  readonly expression: Expression
  /** As it is written; the canonical print of the JSON form. */
  readonly text: string
  /** Places in the tree are places in `text`. */
  readonly isText: boolean
}

/** An action that calls another system, and where it stands. */
export interface PlacedAction {
  readonly path: string
  readonly action: Fields
}

export type Fields = { readonly [key: string]: Value }

/** The parts of a document that migration looks at. */
export interface Parts {
  readonly expressions: readonly PlacedExpression[]
  readonly actions: readonly PlacedAction[]
  readonly terminals: readonly { readonly path: string; readonly result: Fields }[]
}

/**
 * The expressions, actions and results of a document, of its sub-rules too. Malformed parts are skipped: the file check
 * reports them.
 */
export function partsOf(document: Value): Parts {
  const parts: Mutable = { expressions: [], actions: [], terminals: [] }
  if (!isObject(document)) return parts
  addSteps(parts, '/steps', document['steps'])
  const subRules = document['sub_rules']
  if (subRules !== undefined && isObject(subRules))
    for (const [name, subRule] of Object.entries(subRules))
      if (isObject(subRule)) addSteps(parts, `/sub_rules/${escapedKey(name)}/steps`, subRule['steps'])
  return parts
}

interface Mutable {
  readonly expressions: PlacedExpression[]
  readonly actions: PlacedAction[]
  readonly terminals: { readonly path: string; readonly result: Fields }[]
}

function addSteps(parts: Mutable, path: string, steps: Value | undefined): void {
  if (steps === undefined || !isObject(steps)) return
  for (const [id, step] of Object.entries(steps)) if (isObject(step)) addStep(parts, `${path}/${escapedKey(id)}`, step)
}

function addStep(parts: Mutable, path: string, step: Fields): void {
  for (const [index, branch] of listOf(step['branches']).entries()) {
    if (!isObject(branch)) continue
    addExpression(parts, `${path}/branches/${index}/condition`, 'condition', branch['condition'])
    addActions(parts, `${path}/branches/${index}/actions`, branch['actions'])
  }
  addActions(parts, `${path}/actions`, step['actions'])
  addPairs(parts, `${path}/bindings`, 'binding', step['bindings'])
  const { result } = step
  if (result === undefined || !isObject(result)) return
  parts.terminals.push({ path: `${path}/result`, result })
  addPairs(parts, `${path}/result/output`, 'value', result['output'])
}

function addActions(parts: Mutable, path: string, actions: Value | undefined): void {
  for (const [index, action] of listOf(actions).entries()) {
    if (!isObject(action)) continue
    const place = `${path}/${index}`
    parts.actions.push({ path: place, action })
    addExpression(parts, `${place}/value`, 'value', action['value'])
    addExpression(parts, `${place}/input_mapping`, 'value', action['input_mapping'])
    addPairs(parts, `${place}/params`, 'value', action['params'])
  }
}

/** Pairs of a name and an expression. */
function addPairs(parts: Mutable, path: string, role: Role, pairs: Value | undefined): void {
  for (const [index, pair] of listOf(pairs).entries())
    if (isList(pair)) addExpression(parts, `${path}/${index}/1`, role, pair[1])
}

function addExpression(parts: Mutable, path: string, role: Role, value: Value | undefined): void {
  if (typeof value === 'string') {
    const parsed = parse(value)
    if (parsed.kind === 'parsed')
      parts.expressions.push({ path, role, expression: parsed.expression, text: value, isText: true })
  } else if (value !== undefined && isObject(value)) {
    const parsed = fromJsonForm(value)
    if (parsed.kind !== 'parsed') return
    parts.expressions.push({ path, role, expression: parsed.expression, text: print(parsed.expression), isText: false })
  }
}

function listOf(value: Value | undefined): readonly Value[] {
  return isList(value) ? value : []
}
